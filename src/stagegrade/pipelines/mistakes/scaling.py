"""Mistakes in dividing the scores by the square root of the keys' dimension.

Each variant starts from the scores; ``from_query_and_keys`` serves a stage that computes the scores as well.
"""

import inspect
import math
from collections.abc import Iterable
from dataclasses import replace

import torch
from torch import Tensor

from stagegrade.pipelines._attention import attention_scores, scaled_scores
from stagegrade.pipelines._mistake import Catalogue, Mistake
from stagegrade.pipelines._value import Value

SCALING = Catalogue("scaling")


def from_query_and_keys(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """The same mistakes for a stage that reads ``query`` and ``keys`` and makes the scores itself."""
    return tuple(replace(mistake, variant=_ScoredFirst(mistake)) for mistake in mistakes)


class _ScoredFirst:
    """A variant that reads ``query`` and ``keys`` where the mistake's own reads ``scores``."""

    def __init__(self, mistake: Mistake) -> None:
        self._variant = mistake.variant
        self._reads = mistake.parameters
        parameter = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = dict.fromkeys(["query", "keys", *(p for p in self._reads if p != "scores")])
        self.__signature__ = inspect.Signature([inspect.Parameter(name, parameter) for name in names])

    def __call__(self, query: Tensor, keys: Tensor, **others: Value) -> Value:
        known: dict[str, Value] = {**others, "keys": keys, "scores": attention_scores(query, keys)}
        return self._variant(**{name: known[name] for name in self._reads})


@SCALING.mistake(
    name="not-scaled",
    sees="The scaled scores are the scores, and after softmax the weights are too sharp.",
    why="Long keys give large dot products, and unscaled they push softmax towards a single token.",
    hint="Compare the scores before and after this step.",
)
def not_scaled(scores: Tensor) -> Tensor:
    return scores.clone()


@SCALING.mistake(
    name="divides-by-d_k",
    sees="The scaled scores are too small, and the weights come out too even.",
    why="The spread of a dot product grows more slowly than the keys' dimension, so this divides by too "
    "much.",
    hint="Look at the formula again: something is done to the dimension before it divides.",
)
def divides_by_d_k(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / keys.shape[-1]


@SCALING.mistake(
    name="scaled-twice",
    sees="The scaled scores are too small by the very factor that was meant to be applied.",
    why="The scaling was done in two places, such as on the query and again on the scores.",
    hint="Search all your lines for the square root and count how often it meets the scores.",
)
def scaled_twice(scores: Tensor, keys: Tensor) -> Tensor:
    return scaled_scores(scaled_scores(scores, keys), keys)


@SCALING.mistake(
    name="times-sqrt-d_k",
    sees="The scaled scores are larger than the scores, and the weights come out too sharp.",
    why="The step is there to tame large scores, and multiplying does the opposite.",
    hint="Check the sign of the exponent, or the operator, with keys of dimension four.",
)
def times_sqrt_d_k(scores: Tensor, keys: Tensor) -> Tensor:
    return scores * math.sqrt(keys.shape[-1])


@SCALING.mistake(
    name="divides-by-sqrt-d_in",
    sees="All is right while the keys are as wide as the inputs, and off by a constant factor otherwise.",
    why="The dot product runs over the entries of a key, and the inputs' width plays no part in it.",
    hint="Ask how many products are added up in one score, and which tensor has that size.",
)
def divides_by_sqrt_d_in(scores: Tensor, inputs: Tensor) -> Tensor:
    return scores / math.sqrt(inputs.shape[-1])


@SCALING.mistake(
    name="divides-by-sqrt-d_v",
    sees="All is right while values are as wide as keys, and off by a constant factor otherwise.",
    why="Values take no part in a score, so their width cannot tell how large a score grows.",
    hint="Check from which tensor the dimension is read.",
)
def divides_by_sqrt_d_v(scores: Tensor, W_value: Tensor) -> Tensor:
    return scores / math.sqrt(W_value.shape[-1])


@SCALING.mistake(
    name="divides-by-sqrt-n",
    sees="The scaled scores change when the sentence gets longer.",
    why="The number of tokens says how many scores there are and not how large each of them grows.",
    hint="Print the shape of the keys and say what each of its sizes counts.",
)
def divides_by_sqrt_n(scores: Tensor) -> Tensor:
    return scores / math.sqrt(scores.shape[-1])


@SCALING.mistake(
    name="divides-by-n",
    sees="The scores have become averages over the tokens.",
    why="Averaging over tokens is no part of scaling, which depends on the width of a key alone.",
    hint="Work out the divisor for a sentence of six tokens, and ask where that number comes from.",
)
def divides_by_n(scores: Tensor) -> Tensor:
    return scores / scores.shape[-1]


@SCALING.mistake(
    name="power-before-the-half",
    sees="The divisor is half of the keys' dimension.",
    why="Python takes powers before it divides, so a fraction in the exponent needs parentheses.",
    hint="Evaluate the divisor alone for keys of dimension nine.",
)
def power_before_the_half(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / (keys.shape[-1] ** 1 / 2)


@SCALING.mistake(
    name="power-before-the-half-in-the-quotient",
    sees="The divisor is twice the keys' dimension.",
    why="Python reads such a line from left to right as two divisions, after taking the power.",
    hint="Put in parentheses what you mean to be the divisor, and compare.",
)
def power_before_the_half_in_the_quotient(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / keys.shape[-1] ** 1 / 2


@SCALING.mistake(
    name="divides-by-d_k-squared",
    sees="The scaled scores are tiny, and the weights come out almost equal.",
    why="The power goes the wrong way: squaring makes the divisor larger where a root makes it smaller.",
    hint="Evaluate the divisor alone for keys of dimension four.",
)
def divides_by_d_k_squared(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / keys.shape[-1] ** 2


@SCALING.mistake(
    name="floor-division",
    sees="All scaled scores are whole numbers.",
    why="The operator // rounds down after dividing, and the fractions are lost.",
    hint="Look closely at the operator.",
)
def floor_division(scores: Tensor, keys: Tensor) -> Tensor:
    return torch.floor_divide(scores, math.sqrt(keys.shape[-1]))


@SCALING.mistake(
    name="root-rounded-down",
    sees="All is right where the keys' dimension is a square number, and slightly off elsewhere.",
    why="The root was cut to a whole number before it divided.",
    hint="Print the divisor for keys of dimension two.",
)
def root_rounded_down(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / math.isqrt(keys.shape[-1])


@SCALING.mistake(
    name="divides-by-literal-sqrt-2",
    sees="The worked example is right, and keys of any other width are not.",
    why="The divisor was written as a number that fits the example's keys only.",
    hint="Ask from which tensor the number could be read, so that it follows the keys.",
)
def divides_by_literal_sqrt_2(scores: Tensor) -> Tensor:
    return scores / 2**0.5


@SCALING.mistake(
    name="divides-by-literal-2",
    sees="The divisor is the same for keys of any width.",
    why="The number was copied from the example's dimension, and its root is missing besides.",
    hint="Change the width of the keys and watch the divisor.",
)
def divides_by_literal_2(scores: Tensor) -> Tensor:
    return scores / 2


@SCALING.mistake(
    name="divides-by-literal-8",
    sees="The scores are eight times too small for keys of any width.",
    why="Eight is the right divisor for the wide keys of a well-known paper, and not for these.",
    hint="Ask which property of your own keys that number stands for.",
)
def divides_by_literal_8(scores: Tensor) -> Tensor:
    return scores / 8


@SCALING.mistake(
    name="sqrt-of-the-number-of-axes",
    sees="The divisor is the same for all matrices of keys, whatever their width.",
    why="How many axes a tensor has is another thing than how long one of them is.",
    hint="Print the number that you take the root of, for keys of two different widths.",
)
def sqrt_of_the_number_of_axes(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / math.sqrt(keys.dim())


@SCALING.mistake(
    name="sqrt-of-the-first-axis",
    sees="The divisor follows the number of tokens, or the size of the batch where there is one.",
    why="The first axis of the keys does not count the entries of a key.",
    hint="Print the shape of the keys and point at the size you need.",
)
def sqrt_of_the_first_axis(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / math.sqrt(keys.shape[0])


@SCALING.mistake(
    name="sqrt-of-the-second-axis",
    sees="A single sentence is right, and a batch of sentences is off by a constant factor.",
    why="Counted from the front, an axis changes its meaning as soon as a batch comes before it.",
    hint="Print the keys' shape with and without a batch, and ask which end of it stays the same.",
)
def sqrt_of_the_second_axis(scores: Tensor, keys: Tensor) -> Tensor:
    return scores / math.sqrt(keys.shape[1])


@SCALING.mistake(
    name="root-of-the-whole-quotient",
    sees="Some entries are NaN, and the large scores have shrunk the most.",
    why="The root was taken of the scores as well, and negative scores have none.",
    hint="Check where the parentheses of the root open and close.",
)
def root_of_the_whole_quotient(scores: Tensor, keys: Tensor) -> Tensor:
    return torch.sqrt(scores / keys.shape[-1])


@SCALING.mistake(
    name="softmax-before-scaling",
    sees="The numbers are all positive and add up to less than one.",
    why="Scaling has to come first: once softmax has been applied, a division only shrinks the weights.",
    hint="Write down the order of the steps and find yours in it.",
)
def softmax_before_scaling(scores: Tensor, keys: Tensor) -> Tensor:
    return scaled_scores(torch.softmax(scores, dim=-1), keys)


def _scaled_at_last(given: Tensor, keys: Tensor) -> Tensor:
    return scaled_scores(given, keys)


@SCALING.mistake(
    name="scaled-after-softmax",
    sees="Every row of weights adds up to the same number, and it is less than one.",
    why="Scaling is meant to temper the scores; after softmax it can only shrink the shares.",
    hint="Put the steps between scores and weights in order, and find the one that is out of place.",
    later={"softmax": _scaled_at_last},
)
def scaled_after_softmax(scores: Tensor) -> Tensor:
    return scores.clone()


@SCALING.mistake(
    name="root-of-d_k-subtracted",
    sees="All scores have moved by the same amount, and their differences are unchanged.",
    why="Softmax does not see a shift, so subtracting scales nothing.",
    hint="Compare the difference of two scores before and after this step.",
)
def root_of_d_k_subtracted(scores: Tensor, keys: Tensor) -> Tensor:
    return scores - math.sqrt(keys.shape[-1])
