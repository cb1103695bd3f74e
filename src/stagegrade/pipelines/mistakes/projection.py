"""Mistakes in giving three views of the same inputs: which matrix makes which view, and how."""

import operator
from collections.abc import Callable

import torch
from torch import Tensor

from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines._value import Value
from stagegrade.pipelines.mistakes._slips import Reference, projected, reversed_axes, with_views

PROJECTION = Catalogue("projection")


def _unprojected(inputs: Tensor) -> Tensor:
    """The matrix (d_in, d_in) that leaves every row as it is."""
    return torch.eye(inputs.shape[-1], dtype=inputs.dtype)


def _by(
    product: Callable[[Tensor, Tensor], Tensor],
    reference: Reference,
    inputs: Tensor,
    W_query: Tensor,
    W_key: Tensor,
    W_value: Tensor,
) -> Value:
    """The stage with ``product`` in the place of its matrix products."""
    same = _unprojected(inputs)
    rows = projected(reference, inputs, same, same, same)
    if not isinstance(rows, tuple):
        assert isinstance(rows, Tensor)
        return product(rows, W_query)
    query_rows = rows[0]
    assert isinstance(query_rows, Tensor)
    return product(query_rows, W_query), product(inputs, W_key), product(inputs, W_value)


@PROJECTION.mistake(
    name="query-and-key-weights-swapped",
    sees="The query has the numbers that a key should have, and the keys have those of queries.",
    why="The two matrices play different roles: each score asks a query about a key, and swapping them "
    "turns every question round.",
    hint="Read each projection aloud, from the view on the left to the matrix on the right, and listen for "
    "a pair of names that do not belong together.",
)
def query_and_key_weights_swapped(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_key, W_query, W_value)


@PROJECTION.mistake(
    name="query-and-value-weights-swapped",
    sees="The keys are right, while the query and the values each have the other's numbers.",
    why="Scores are then made from what was meant to be mixed, and the context mixes what was meant to ask.",
    hint="Check in which order the three matrices are unpacked or passed before they are used.",
)
def query_and_value_weights_swapped(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_value, W_key, W_query)


@PROJECTION.mistake(
    name="weights-in-the-order-key-value-query",
    sees="None of the three views is right, yet each of them is one of the three, under another's name.",
    why="The matrices were taken in another order than the one they come in, so all three roles moved by "
    "one.",
    hint="Write down the order in which the matrices are made and the order in which they are used, side by "
    "side.",
)
def weights_in_the_order_key_value_query(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_key, W_value, W_query)


@PROJECTION.mistake(
    name="weights-in-the-order-value-query-key",
    sees="All three views are there, but each bears the name of its neighbour.",
    why="The matrices are used in a rotated order, so that the one for values makes the query, and so on "
    "round.",
    hint="Follow one matrix by its name from where it is created to the view it ends up in.",
)
def weights_in_the_order_value_query_key(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_value, W_query, W_key)


@PROJECTION.mistake(
    name="keys-made-with-W_query",
    sees="The keys have the numbers that queries of all tokens would have.",
    why="A key has a matrix of its own, so that what a token offers can differ from what it asks for.",
    hint="Look at the line that makes the keys and compare it with the line above it, name by name.",
)
def keys_made_with_w_query(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, W_query, W_value)


@PROJECTION.mistake(
    name="keys-made-with-W_value",
    sees="The keys and the values are the same tensor.",
    why="Keys decide how much each token counts and values are what is counted, which is why each has its "
    "own matrix.",
    hint="Compare the keys with the values: two different matrices cannot give two equal views.",
)
def keys_made_with_w_value(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, W_value, W_value)


@PROJECTION.mistake(
    name="values-made-with-W_key",
    sees="The scores and weights come out right, and only the context is off, because the values equal the "
    "keys.",
    why="The context would then mix what tokens match by, where it should mix what they have to say.",
    hint="Look at the line that makes the values, and at the matrix at its end.",
)
def values_made_with_w_key(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, W_key, W_key)


@PROJECTION.mistake(
    name="values-made-with-W_query",
    sees="The weights come out right, but the values are the queries of all tokens.",
    why="Values are projected by a matrix of their own, which is free to keep other features than a query "
    "does.",
    hint="Go through the three projections and tick off each matrix once; one of them stays without a tick.",
)
def values_made_with_w_query(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, W_key, W_query)


@PROJECTION.mistake(
    name="query-made-with-W_key",
    sees="The query equals the key of its own token.",
    why="A token's question and a token's label are two different views, so one matrix cannot serve for "
    "both.",
    hint="Compare the query with the keys: if it is found among them, see which matrix made it.",
)
def query_made_with_w_key(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_key, W_key, W_value)


@PROJECTION.mistake(
    name="query-made-with-W_value",
    sees="The query equals the value of its own token.",
    why="The matrix for values is trained for what is mixed into the context, not for asking about keys.",
    hint="Find the query's line and check that its matrix is the one named after it.",
)
def query_made_with_w_value(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_value, W_key, W_value)


@PROJECTION.mistake(
    name="one-matrix-for-all-three",
    sees="Queries, keys and values all have the same numbers.",
    why="With a single matrix there is only one view, and attention has nothing to tell asking, matching "
    "and mixing apart.",
    hint="Count how many different matrices the three projections use.",
)
def one_matrix_for_all_three(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, W_query, W_query)


@PROJECTION.mistake(
    name="one-matrix-under-three-names",
    sees="Whatever is set for one weight matrix shows up in all three, and the last one set is used "
    "everywhere.",
    why="Three names were bound to one and the same tensor, so there is one matrix where three are meant.",
    hint="Print the id of each weight and see whether they are three objects.",
)
def one_matrix_under_three_names(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    # Weights are set in the order query, key, value: the last one stays.
    return projected(reference, inputs, W_value, W_value, W_value)


@PROJECTION.mistake(
    name="queries-left-as-raw-inputs",
    sees="The query is a row of the inputs, as wide as d_in.",
    why="The query is a projection of its token; unprojected it lives in another space than the keys.",
    hint="Compare the width of the query with the width of the keys.",
)
def queries_left_as_raw_inputs(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, _unprojected(inputs), W_key, W_value)


@PROJECTION.mistake(
    name="keys-left-as-raw-inputs",
    sees="The keys are the inputs themselves, as wide as d_in.",
    why="A query can be matched only with keys that were projected into its own space.",
    hint="Print the shape of the keys and ask which matrix should have changed their width.",
)
def keys_left_as_raw_inputs(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, _unprojected(inputs), W_value)


@PROJECTION.mistake(
    name="values-left-as-raw-inputs",
    sees="The values are the inputs themselves, and the context comes out as wide as d_in.",
    why="That was right for simplified attention; here the values are a third learned view of the inputs.",
    hint="Check that each of the three matrices is used somewhere.",
)
def values_left_as_raw_inputs(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, W_key, _unprojected(inputs))


@PROJECTION.mistake(
    name="weights-transposed",
    sees="PyTorch reports that two shapes cannot be multiplied, with the weight's two sizes turned round.",
    why="A weight of d_in rows and d_out columns already fits a row of the inputs; transposing it is needed "
    "only for the weight of an nn.Linear, which is stored the other way.",
    hint="Write the two shapes next to each other in the order of the product and see which sizes meet.",
)
def weights_transposed(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return _by(lambda x, W: x @ reversed_axes(W), reference, inputs, W_query, W_key, W_value)


@PROJECTION.mistake(
    name="weights-before-inputs",
    sees="PyTorch reports that two shapes cannot be multiplied, and names the weight's shape first.",
    why="Tokens are rows here, and a matrix acts on rows from one side only.",
    hint="Say which side of the product holds the tokens, and which size the two sides have to share.",
)
def weights_before_inputs(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return _by(lambda x, W: W @ x, reference, inputs, W_query, W_key, W_value)


@PROJECTION.mistake(
    name="weights-elementwise",
    sees="PyTorch reports that the sizes of two tensors must match.",
    why="The operator * pairs entries up one by one, whereas a projection sums products along a whole row.",
    hint="Look at the operator between the inputs and the weight.",
)
def weights_elementwise(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return _by(operator.mul, reference, inputs, W_query, W_key, W_value)


@PROJECTION.mistake(
    name="linear-bias-left-on",
    sees="Every row of each view is off by the same vector.",
    why="An nn.Linear adds a bias unless told otherwise, while these projections are matrix products and "
    "nothing more.",
    hint="List the parameters of the layer and look for some that you did not ask for.",
)
def linear_bias_left_on(
    reference: Reference,
    inputs: Tensor,
    W_query: Tensor,
    W_key: Tensor,
    W_value: Tensor,
    b_query: Tensor,
    b_key: Tensor,
    b_value: Tensor,
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    assert isinstance(right, tuple)
    biased = []
    for view, bias in zip(right, (b_query, b_key, b_value), strict=True):
        assert isinstance(view, Tensor)
        biased.append(view + bias)
    return tuple(biased)


@PROJECTION.mistake(
    name="keys-and-values-swapped",
    sees="The query is right, while keys and values arrive in each other's place.",
    why="What takes the tensors apart relies on their order, or on each name having its own matrix, so the "
    "swap sends every later step astray.",
    hint="Compare the order of the names where the views are returned with the order in which they are "
    "received.",
)
def keys_and_values_swapped(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    return projected(reference, inputs, W_query, W_value, W_key)


@PROJECTION.mistake(
    name="one-query-where-all-are-asked",
    sees="The output has a single row where there should be one for each token.",
    why="In the whole layer every token asks its own question, so queries are needed for all of them.",
    hint="Look for an index that was right when there was only one query.",
)
def one_query_where_all_are_asked(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=inputs[1] @ W_query)
