"""Mistakes in mixing values (n, d_v) by weights: (n,) for one query, (n, n) for all, or a batch of them."""

import torch
from torch import Tensor

from stagegrade.pipelines._attention import context_vectors
from stagegrade.pipelines._mistake import Catalogue

CONTEXT = Catalogue("context")


def _weighted(weights: Tensor, values: Tensor) -> Tensor:
    """Each value times its weight, not yet summed: (…, n, d_v), for several queries (…, n, n, d_v)."""
    if weights.dim() > 1:
        values = values.unsqueeze(-3)
    return weights.unsqueeze(-1) * values


@CONTEXT.mistake(
    name="weights-by-keys",
    sees="The context does not change with the values, and is as wide as a key.",
    why="Keys have done their work once the weights are there; what gets mixed is another view of the "
    "tokens.",
    hint="Check which of the three views stands next to the weights.",
)
def weights_by_keys(weights: Tensor, keys: Tensor) -> Tensor:
    return context_vectors(weights, keys)


@CONTEXT.mistake(
    name="weights-by-queries",
    sees="The context is a mixture of queries and does not change with the values.",
    why="A query asks, and it holds nothing that was meant to be handed on.",
    hint="Check which of the three views has not been used anywhere.",
)
def weights_by_queries(weights: Tensor, query: Tensor) -> Tensor:
    return context_vectors(weights, query)


@CONTEXT.mistake(
    name="weights-by-raw-inputs",
    sees="The context is as wide as the inputs and does not change with the matrix for values.",
    why="That was the last step of simplified attention; now the tokens have a projected view made for "
    "mixing.",
    hint="Compare the width of your context with the width that the exercise names.",
)
def weights_by_raw_inputs(weights: Tensor, inputs: Tensor) -> Tensor:
    return context_vectors(weights, inputs)


@CONTEXT.mistake(
    name="weights-transposed-before-mixing",
    sees="Every context row is mixed by a column of weights, and those do not add up to one.",
    why="A row of weights belongs to one query; turned over its diagonal, the matrix gives each query what "
    "it receives and not what it gives.",
    hint="Add up the numbers that one row of your context is mixed with.",
)
def weights_transposed_before_mixing(weights: Tensor, values: Tensor) -> Tensor:
    return context_vectors(weights.transpose(-2, -1), values)


@CONTEXT.mistake(
    name="weights-by-values-elementwise",
    sees="PyTorch reports that the sizes of two tensors must match.",
    why="The operator * wants a weight for every single entry, whereas one weight counts for a whole value.",
    hint="Look at the operator, and at the shapes on both sides of it.",
)
def weights_by_values_elementwise(weights: Tensor, values: Tensor) -> Tensor:
    return weights * values


@CONTEXT.mistake(
    name="weighted-values-not-summed",
    sees="There is still one vector for each token, with an axis more than a context has.",
    why="The values have been weighted, but a context vector is what they give together.",
    hint="Compare the number of axes of your result with that of a context vector.",
)
def weighted_values_not_summed(weights: Tensor, values: Tensor) -> Tensor:
    return _weighted(weights, values)


@CONTEXT.mistake(
    name="scores-as-weights",
    sees="The context is far too large, and it does not lie among the values.",
    why="Scores are no shares: they may be negative, and they add up to anything.",
    hint="Add up the numbers that the values are multiplied with.",
)
def scores_as_weights(scores: Tensor, values: Tensor) -> Tensor:
    return context_vectors(scores, values)


@CONTEXT.mistake(
    name="scaled-scores-as-weights",
    sees="The context does not lie among the values, though the weights themselves are right.",
    why="The weights were computed and left aside: the mixing took the tensor from the step before.",
    hint="Check the name of the tensor that the values are multiplied with.",
)
def scaled_scores_as_weights(scaled: Tensor, values: Tensor) -> Tensor:
    return context_vectors(scaled, values)


@CONTEXT.mistake(
    name="mean-of-the-values",
    sees="The context does not change with the weights.",
    why="A plain mean gives every token the same share, and all that attention found out is lost.",
    hint="Check that the weights stand in the line that makes the context.",
)
def mean_of_the_values(values: Tensor) -> Tensor:
    return values.mean(dim=-2)


@CONTEXT.mistake(
    name="mean-of-the-weighted-values",
    sees="The context is the right one divided by the number of tokens.",
    why="The weights have already divided one whole among the tokens, so a mean divides a second time.",
    hint="Check how the weighted values are brought together.",
)
def mean_of_the_weighted_values(weights: Tensor, values: Tensor) -> Tensor:
    return _weighted(weights, values).mean(dim=-2)


@CONTEXT.mistake(
    name="sum-of-the-values",
    sees="The context grows with the number of tokens and does not change with the weights.",
    why="Every value was counted in full, whatever its weight.",
    hint="Give all the weight to one token and ask what the context should be then.",
)
def sum_of_the_values(values: Tensor) -> Tensor:
    return values.sum(dim=-2)


@CONTEXT.mistake(
    name="values-by-weights",
    sees="PyTorch reports that two shapes cannot be multiplied.",
    why="The two sides of the product stand in the wrong order, so a value's width meets the number of "
    "tokens.",
    hint="Write the shapes in the order of the product, and see which sizes meet.",
)
def values_by_weights(weights: Tensor, values: Tensor) -> Tensor:
    return values @ weights


@CONTEXT.mistake(
    name="transposed-values-by-weights",
    sees="The context has its features as rows and the tokens as columns.",
    why="Turning the values round made the shapes fit, but each column now mixes by what its token receives.",
    hint="Compare the shape of your context with the one you predicted.",
)
def transposed_values_by_weights(weights: Tensor, values: Tensor) -> Tensor:
    return values.transpose(-2, -1) @ weights


@CONTEXT.mistake(
    name="accumulator-not-reset",
    sees="The first row is right, and each later row also contains all rows before it.",
    why="The running sum begins once for all queries, where each query needs a fresh one.",
    hint="Look at where the running sum is set to zero, and how often that line runs.",
)
def accumulator_not_reset(weights: Tensor, values: Tensor) -> Tensor:
    return context_vectors(weights, values).cumsum(dim=-2)


@CONTEXT.mistake(
    name="values-changed-in-place",
    sees="The first row is right, and each later row is smaller than the one before.",
    why="The values were multiplied in place, so that each query starts from what the one before has left.",
    hint="Print the values before and after your loop.",
)
def values_changed_in_place(weights: Tensor, values: Tensor) -> Tensor:
    return context_vectors(weights.cumprod(dim=-2), values)


@CONTEXT.mistake(
    name="only-the-last-weighted-value",
    sees="The context is the last token's value times its weight, and nothing else.",
    why="Each turn of the loop replaces the sum instead of adding to it.",
    hint="Watch the context through the first two turns of the loop.",
)
def only_the_last_weighted_value(weights: Tensor, values: Tensor) -> Tensor:
    return _weighted(weights, values)[..., -1, :]


@CONTEXT.mistake(
    name="last-value-left-out",
    sees="The context does not change with the last token's value.",
    why="The loop ends one turn early, so that the last token's share is lost.",
    hint="Add up the weights that your loop makes use of.",
)
def last_value_left_out(weights: Tensor, values: Tensor) -> Tensor:
    return context_vectors(weights[..., :-1], values[..., :-1, :])


@CONTEXT.mistake(
    name="first-value-left-out",
    sees="The context does not change with the first token's value.",
    why="The loop begins at index 1, so that the first token's share is lost.",
    hint="Print the first index that your loop uses.",
)
def first_value_left_out(weights: Tensor, values: Tensor) -> Tensor:
    return context_vectors(weights[..., 1:], values[..., 1:, :])


@CONTEXT.mistake(
    name="weights-returned",
    sees="The result is the tensor of weights.",
    why="The weights say how to mix, and the mixture itself is still to be made or to be returned.",
    hint="Check the name after return.",
)
def weights_returned(weights: Tensor) -> Tensor:
    return weights.clone()


@CONTEXT.mistake(
    name="values-returned",
    sees="The result is the tensor of values.",
    why="The values have not been mixed yet, or the mixture was not what was returned.",
    hint="Check the name after return.",
)
def values_returned(values: Tensor) -> Tensor:
    return values.clone()


@CONTEXT.mistake(
    name="only-the-heaviest-value",
    sees="The context is exactly one of the values.",
    why="The best match has the largest share and not all of it, so the other values have to join in.",
    hint="Ask how much of the context should come from the token with the second largest weight.",
)
def only_the_heaviest_value(weights: Tensor, values: Tensor) -> Tensor:
    return values[weights.argmax(dim=-1)]


@CONTEXT.mistake(
    name="summed-over-the-features",
    sees="There is one number for each token where one for each feature is expected.",
    why="The weighted values were added up inside each token and not across the tokens.",
    hint="Print the shape of the weighted values and ask which axis counts tokens.",
)
def summed_over_the_features(weights: Tensor, values: Tensor) -> Tensor:
    return _weighted(weights, values).sum(dim=-1)


@CONTEXT.mistake(
    name="inputs-added",
    sees="Each context row is larger than it should be by the row of its own token.",
    why="Adding the inputs is a step of larger models; this one ends with the mixture.",
    hint="Take your result less the expected one, and see what is left.",
)
def inputs_added(weights: Tensor, inputs: Tensor) -> Tensor:
    return inputs + context_vectors(weights, inputs)


@CONTEXT.mistake(
    name="only-the-second-row-returned",
    sees="The result is the context of one token where all are asked for.",
    why="An index is left over from the computation that followed a single token.",
    hint="Count the rows of your result and the tokens that went in.",
)
def only_the_second_row_returned(weights: Tensor, values: Tensor) -> Tensor:
    return context_vectors(weights, values)[1]


@CONTEXT.mistake(
    name="context-rounded-to-four-decimals",
    sees="The context agrees with the printed figures, and is exact to the fourth decimal only.",
    why="Printed figures are rounded for reading; what is returned should keep every digit.",
    hint="Look for a step that makes numbers shorter, or for figures typed in by hand.",
)
def context_rounded_to_four_decimals(weights: Tensor, values: Tensor) -> Tensor:
    return torch.round(context_vectors(weights, values), decimals=4)
