"""Mistakes in one dot product: a query with a token, or with a key.

``token`` is the one vector of ``score``; where a stage knows all keys by that name, it is the second of them.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from stagegrade.pipelines._mistake import Catalogue

SCORE = Catalogue("score")


def _one(token: Tensor) -> Tensor:
    """The vector (d,) that the query is scored against."""
    return token[1] if token.dim() > 1 else token


@SCORE.mistake(
    name="products-not-summed",
    sees="The result is a vector of products where one number is expected.",
    why="A dot product multiplies entry by entry and then adds up, and the second half is missing.",
    hint="Ask how a whole vector of products becomes a single measure of match.",
)
def products_not_summed(query: Tensor, token: Tensor) -> Tensor:
    return query * _one(token)


@SCORE.mistake(
    name="products-averaged",
    sees="The number is the right one divided by the number of entries.",
    why="A mean divides by the number of entries, which a dot product does not.",
    hint="Try it on two vectors of ones, and say beforehand what the score should be.",
)
def products_averaged(query: Tensor, token: Tensor) -> Tensor:
    return (query * _one(token)).mean()


@SCORE.mistake(
    name="outer-product",
    sees="The result is a square of numbers, every entry of one vector with every entry of the other.",
    why="Only entries at the same position belong together in a score.",
    hint="Count the numbers you get for two vectors of length three.",
)
def outer_product(query: Tensor, token: Tensor) -> Tensor:
    return torch.outer(query, _one(token))


@SCORE.mistake(
    name="lengths-divided-out",
    sees="The score never leaves the range from -1 to 1.",
    why="Cosine similarity keeps the angle and drops the lengths, whereas attention scores depend on both.",
    hint="Double one of the vectors and see whether the score follows.",
)
def lengths_divided_out(query: Tensor, token: Tensor) -> Tensor:
    return functional.cosine_similarity(query, _one(token), dim=0)


@SCORE.mistake(
    name="query-with-itself",
    sees="The score is the same whatever it is compared with.",
    why="A score tells how two vectors match, and only one of the two was used.",
    hint="Change the other vector and watch which of the two arguments reaches the product.",
)
def query_with_itself(query: Tensor) -> Tensor:
    return torch.dot(query, query)


@SCORE.mistake(
    name="token-with-itself",
    sees="The score does not change with the query.",
    why="Both sides of the product come from the same vector, so nothing was asked.",
    hint="Check that each side of the product names another vector.",
)
def token_with_itself(token: Tensor) -> Tensor:
    return torch.dot(_one(token), _one(token))


@SCORE.mistake(
    name="distance-instead-of-match",
    sees="The score is zero for two equal vectors and grows as they move apart.",
    why="A distance runs the other way: a good match should give a large score.",
    hint="Try the score on two equal vectors and on two that point apart, and compare which is larger.",
)
def distance_instead_of_match(query: Tensor, token: Tensor) -> Tensor:
    return torch.dist(query, _one(token))


@SCORE.mistake(
    name="sums-multiplied",
    sees="The score stays the same when the entries of one vector change places.",
    why="Adding up each vector first loses which entries stood at the same position.",
    hint="Look at the order of the two steps, adding and multiplying.",
)
def sums_multiplied(query: Tensor, token: Tensor) -> Tensor:
    return query.sum() * _one(token).sum()


@SCORE.mistake(
    name="entries-added",
    sees="The score is large even where one of the vectors is nearly zero.",
    why="Adding the two vectors does not measure a match, since a large entry counts without a partner.",
    hint="Set one vector to zeros and ask what the score should then be.",
)
def entries_added(query: Tensor, token: Tensor) -> Tensor:
    return (query + _one(token)).sum()


@SCORE.mistake(
    name="last-entry-left-out",
    sees="The score ignores the last feature of the vectors.",
    why="The loop stops one step before the end, so one product never joins the sum.",
    hint="Print the positions that the loop visits and compare them with the vectors' length.",
)
def last_entry_left_out(query: Tensor, token: Tensor) -> Tensor:
    return torch.dot(query[:-1], _one(token)[:-1])


@SCORE.mistake(
    name="only-the-last-product",
    sees="The score is the product of the last two entries alone.",
    why="Each turn of the loop replaces the sum instead of adding to it.",
    hint="Watch the running result through the first two turns of the loop.",
)
def only_the_last_product(query: Tensor, token: Tensor) -> Tensor:
    return query[-1] * _one(token)[-1]


@SCORE.mistake(
    name="score-scaled-too-early",
    sees="The score is right up to a constant factor that depends on the vectors' length.",
    why="A score is the plain dot product; scaling is a step of its own, where the exercise has it at all.",
    hint="Leave out everything that comes after the sum of the products, and compare again.",
)
def score_scaled_too_early(query: Tensor, token: Tensor) -> Tensor:
    return torch.dot(query, _one(token)) / math.sqrt(query.shape[-1])


@SCORE.mistake(
    name="score-cut-to-a-whole-number",
    sees="The score has lost everything after the decimal point.",
    why="Converting to a whole number drops the fraction, and scores differ by fractions.",
    hint="Check the type of the number at each step for the place where the fraction goes.",
)
def score_cut_to_a_whole_number(query: Tensor, token: Tensor) -> Tensor:
    return torch.dot(query, _one(token)).to(torch.int64)


@SCORE.mistake(
    name="tokens-fixed-in-the-code",
    sees="The score is right for the example of the text and stays the same for any other query and token.",
    why="The function looks up fixed tokens of the sentence and never reads what it is given.",
    hint="Check that every argument of the function appears in its body.",
)
def tokens_fixed_in_the_code(inputs: Tensor) -> Tensor:
    return torch.dot(inputs[1], inputs[0])
