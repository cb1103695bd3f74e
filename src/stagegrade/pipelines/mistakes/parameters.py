"""Mistakes in how a module holds its weights, as variants of the report on its parameters."""

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor

from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines._value import Value
from stagegrade.pipelines.mistakes._slips import Reference

PARAMETERS = Catalogue("parameters")

NOT_HELD: Mapping[str, Value] = {
    "registered": False,
    "trainable": False,
    "gradient": False,
    "changed by training": False,
}
NOT_REACHED: Mapping[str, Value] = {"gradient": False, "changed by training": False}


def _weights(reference: Reference, d_in: int, d_out: int) -> Mapping[str, Mapping[str, Value]]:
    return cast(Mapping[str, Mapping[str, Value]], reference(d_in, d_out))


def _with(
    reference: Reference, d_in: int, d_out: int, found: Mapping[str, Value], of: tuple[str, ...] = ()
) -> Value:
    """The report with ``found`` in place of what is right, for the weights in ``of``, or for all of them."""
    report = _weights(reference, d_in, d_out)
    return {name: {**held, **found} if name in of or not of else held for name, held in report.items()}


def _missing(reference: Reference, d_in: int, d_out: int, names: tuple[str, ...], **more: Value) -> Value:
    """The report for a module that has no attributes of these ``names``."""
    report = _weights(reference, d_in, d_out)
    return {**{name: None if name in names else held for name, held in report.items()}, **more}


def _starting_with(reference: Reference, d_in: int, d_out: int, start: Mapping[str, Tensor]) -> Value:
    """The report for a module whose weights begin with these values."""
    report = _weights(reference, d_in, d_out)
    return {name: {**held, "start": start[name]} for name, held in report.items()}


WEIGHTS = ("W_query", "W_key", "W_value")
SEED = 123
"""Set before the module is built, as the worked example does."""


@PARAMETERS.mistake(
    name="plain-tensor",
    sees="The module computes, but its parameters() is empty.",
    why="The base class notes down only parameters and other modules, so an optimizer never hears of a "
    "plain tensor.",
    hint="Print list(model.parameters()) and see what would have to wrap the tensors for them to be listed.",
)
def plain_tensor(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, NOT_HELD)


@PARAMETERS.mistake(
    name="plain-tensor-with-gradient",
    sees="Gradients arrive at the weights, yet parameters() is empty and training leaves them as they were.",
    why="A tensor that asks for a gradient is still no parameter, so an optimizer is not given it.",
    hint="Compare what parameters() lists with what you want to be trained.",
)
def plain_tensor_with_gradient(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"registered": False, "changed by training": False})


@PARAMETERS.mistake(
    name="value-weights-as-a-plain-tensor",
    sees="Only two of the three weights are in parameters(): W_value is missing from it.",
    why="A weight that is not registered keeps its first random values for ever, while the other two learn.",
    hint="Compare the three lines of the constructor with each other, character by character.",
)
def value_weights_as_a_plain_tensor(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, NOT_HELD, of=("W_value",))


@PARAMETERS.mistake(
    name="frozen-parameters",
    sees="The weights are registered, but no gradient reaches them.",
    why="They were marked as not needing a gradient, which suits a demonstration and keeps training from "
    "changing them.",
    hint="Print requires_grad of each weight.",
)
def frozen_parameters(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"trainable": False, **NOT_REACHED})


@PARAMETERS.mistake(
    name="super-init-missing",
    sees="Making the object ends with an error that parameters cannot be assigned yet.",
    why="The base class sets up the place where parameters are noted down in its own constructor, which did "
    "not run.",
    hint="Look at the first line of your constructor, and think of the class that yours builds on.",
)
def super_init_missing() -> Value:
    raise AttributeError("cannot assign parameters before Module.__init__() call")


@PARAMETERS.mistake(
    name="d_in-and-d_out-exchanged",
    sees="The weights have their rows and columns turned round.",
    why="A row of the inputs has d_in entries, and they have to meet the rows of the matrix.",
    hint="Write the shape of the inputs next to the shape of a weight and see whether the sizes in the "
    "middle agree.",
)
def d_in_and_d_out_exchanged(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"shape": (d_out, d_in)})


@PARAMETERS.mistake(
    name="weights-d_in-by-d_in",
    sees="The weights are square, and the output is as wide as the inputs.",
    why="The projection is there to lead from one width to another, and a square matrix keeps the width.",
    hint="Check that both sizes given to the constructor are used.",
)
def weights_d_in_by_d_in(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"shape": (d_in, d_in)})


@PARAMETERS.mistake(
    name="weights-d_out-by-d_out",
    sees="The weights are square, and the inputs cannot be multiplied with them.",
    why="The rows of a weight have to be as many as a token has entries.",
    hint="Check which size of the constructor is used twice.",
)
def weights_d_out_by_d_out(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"shape": (d_out, d_out)})


@PARAMETERS.mistake(
    name="sizes-of-the-worked-example",
    sees="The weights are three by two, whatever sizes the constructor is given.",
    why="The sizes were written as numbers, so that the class fits one example only.",
    hint="Make the module with other sizes and print the shapes of its weights.",
)
def sizes_of_the_worked_example(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"shape": (3, 2)})


@PARAMETERS.mistake(
    name="a-vector-for-a-matrix",
    sees="Each weight is a vector of length d_out.",
    why="A vector can only stretch entries, while a projection mixes every entry of a token into each new "
    "one.",
    hint="Count the numbers needed to make each of d_out entries out of d_in.",
)
def a_vector_for_a_matrix(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"shape": (d_out,)})


@PARAMETERS.mistake(
    name="single-weight-matrix",
    sees="The module has W_query, but no W_key and no W_value.",
    why="One matrix gives one view, and attention needs three that can be trained apart.",
    hint="Count the views that forward needs and the weights that the constructor makes.",
)
def single_weight_matrix(reference: Reference, d_in: int, d_out: int) -> Value:
    return _missing(reference, d_in, d_out, ("W_key", "W_value"))


@PARAMETERS.mistake(
    name="no-value-weights",
    sees="The module has no W_value.",
    why="Without it the context would mix raw inputs or keys, which was not what they were made for.",
    hint="List the three views and look for the weight of each.",
)
def no_value_weights(reference: Reference, d_in: int, d_out: int) -> Value:
    return _missing(reference, d_in, d_out, ("W_value",))


@PARAMETERS.mistake(
    name="created-in-forward",
    sees="After it was made, the module has none of the three weights, and two calls differ.",
    why="Matrices made inside forward are new at every call, so nothing learned could stay in them.",
    hint="Ask which of the two methods runs once, and which at every call.",
)
def created_in_forward(reference: Reference, d_in: int, d_out: int) -> Value:
    return _missing(reference, d_in, d_out, WEIGHTS, **{"other weights": False})


@PARAMETERS.mistake(
    name="weights-under-other-names",
    sees="The module has none of the three weights under the names the exercise gives.",
    why="Other people's code, a check and a saved state find weights by their names.",
    hint="Compare the attribute names in your constructor with those in the exercise, capitals included.",
)
def weights_under_other_names(reference: Reference, d_in: int, d_out: int) -> Value:
    return _missing(reference, d_in, d_out, WEIGHTS, **{"other weights": True})


@PARAMETERS.mistake(
    name="detached-weights",
    sees="The weights are registered and trainable, but their gradients stay empty.",
    why="Forward works on copies that are cut off from the graph, by detach, data, no_grad or NumPy: the values are "
    "right all the same, and no gradient finds its way back from them.",
    hint="Follow a weight through forward to the place where PyTorch loses track of it: a detach, or NumPy.",
)
def detached_weights(reference: Reference, d_in: int, d_out: int) -> Value:
    report = cast(Mapping[str, Value], _with(reference, d_in, d_out, NOT_REACHED))
    return {**report, "two calls agree": True}


@PARAMETERS.mistake(
    name="recreated-in-forward",
    sees="The weights made by the constructor get no gradient, and the output differs from call to call.",
    why="Forward makes new weights at every call and leaves the registered ones unused.",
    hint="Look for a line in forward that makes a weight and does not only read one.",
)
def recreated_in_forward(reference: Reference, d_in: int, d_out: int) -> Value:
    report = cast(Mapping[str, Value], _with(reference, d_in, d_out, NOT_REACHED))
    return {**report, "two calls agree": False}


@PARAMETERS.mistake(
    name="attention-weights-detached",
    sees="Only W_value gets a gradient; W_query and W_key stay as they were.",
    why="The attention weights were cut off from the graph, so that training cannot improve how tokens "
    "match.",
    hint="Look between the scores and the mixing for a step through which no gradient passes, such as one in NumPy.",
)
def attention_weights_detached(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, NOT_REACHED, of=("W_query", "W_key"))


@PARAMETERS.mistake(
    name="values-detached",
    sees="W_query and W_key get a gradient, and W_value does not.",
    why="The values were cut off from the graph, so that training cannot change what is mixed.",
    hint="Compare how the three views are made or used, and find what sets the values apart.",
)
def values_detached(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, NOT_REACHED, of=("W_value",))


@PARAMETERS.mistake(
    name="changed-by-forward",
    sees="After a call the weights have other values than before.",
    why="Forward only reads the weights; changing them is for training, between two calls.",
    hint="Look in forward for an assignment to a weight, or a method whose name ends with an underscore.",
)
def changed_by_forward(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"unchanged by forward": False})


@PARAMETERS.mistake(
    name="query-weights-changed-by-forward",
    sees="After a call W_query has other values than before, so that a second call gives something else.",
    why="Scaling the queries is a step of each call; done to W_query itself it stays, and adds up.",
    hint="Look in forward for a line that assigns to W_query or calls a method with an underscore at the end on it.",
)
def query_weights_changed_by_forward(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"unchanged by forward": False}, of=("W_query",))


@PARAMETERS.mistake(
    name="key-weights-changed-by-forward",
    sees="After a call W_key has other values than before, so that a second call gives something else.",
    why="What forward needs of the keys in another size belongs to that call; done to W_key itself it stays.",
    hint="Look in forward for a line that assigns to W_key or calls a method with an underscore at the end on it.",
)
def key_weights_changed_by_forward(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"unchanged by forward": False}, of=("W_key",))


@PARAMETERS.mistake(
    name="value-weights-changed-by-forward",
    sees="After a call W_value has other values than before, so that a second call gives something else.",
    why="The values of one call are made anew from W_value; a W_value that moves by itself undoes what training did.",
    hint="Look in forward for a line that assigns to W_value or calls a method with an underscore at the end on it.",
)
def value_weights_changed_by_forward(reference: Reference, d_in: int, d_out: int) -> Value:
    return _with(reference, d_in, d_out, {"unchanged by forward": False}, of=("W_value",))


@PARAMETERS.mistake(
    name="randn-for-rand",
    sees="With the example's seed the starting values are others than those of the text, some of them negative.",
    why="The text draws them evenly between 0 and 1, and these come from a normal distribution.",
    hint="Print one of the weights after setting the seed, and compare it with the text.",
    remark=True,
)
def randn_for_rand(reference: Reference, d_in: int, d_out: int) -> Value:
    generator = torch.Generator().manual_seed(SEED)
    start = {name: torch.randn(d_in, d_out, generator=generator) for name in WEIGHTS}
    return _starting_with(reference, d_in, d_out, start)


@PARAMETERS.mistake(
    name="created-in-another-order",
    sees="With the example's seed each weight starts with the values that the text has for another one.",
    why="Random numbers come in one row, so that the order of the lines decides which weight gets which.",
    hint="Compare the order of the three lines with the order in which the text names the weights.",
    remark=True,
)
def created_in_another_order(reference: Reference, d_in: int, d_out: int) -> Value:
    generator = torch.Generator().manual_seed(SEED)
    start = {name: torch.rand(d_in, d_out, generator=generator) for name in ("W_key", "W_query", "W_value")}
    return _starting_with(reference, d_in, d_out, start)
