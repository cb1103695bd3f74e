"""Mistakes in checking whether row 1 of the output is the context of the single token."""

import torch
from torch import Tensor

from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines.mistakes._slips import Reference

SINGLE_TOKEN_CHECK = Catalogue("single_token_check")


@SINGLE_TOKEN_CHECK.mistake(
    name="compares-exactly",
    sees="The check fails although the numbers look the same when printed.",
    why="Two orders of the same sums differ in their last bits, so floats that agree are seldom identical.",
    hint="Print the difference of the two vectors and compare its size with the numbers themselves.",
)
def compares_exactly(context: Tensor, candidate: Tensor) -> bool:
    return torch.equal(context[1], candidate)


@SINGLE_TOKEN_CHECK.mistake(
    name="checks-the-first-row",
    sees="The check fails for the right vector and agrees with that of another token.",
    why="The single token of the example is not the first one of the sentence.",
    hint="Say which index the token has, counting as Python does.",
)
def checks_the_first_row(reference: Reference, context: Tensor, candidate: Tensor) -> bool:
    return bool(reference(context.roll(1, dims=0), candidate))


@SINGLE_TOKEN_CHECK.mistake(
    name="checks-the-third-row",
    sees="The check fails for the right vector and agrees with that of the token after it.",
    why="The row's number in speech was used as an index, and Python counts from 0.",
    hint="Print the row that you compare, and find its token.",
)
def checks_the_third_row(reference: Reference, context: Tensor, candidate: Tensor) -> bool:
    return bool(reference(context.roll(-1, dims=0), candidate))


@SINGLE_TOKEN_CHECK.mistake(
    name="checks-a-column",
    sees="PyTorch reports two sizes that do not agree, one of them the number of tokens.",
    why="A column holds one feature of all tokens, and the single token's context holds all features of one.",
    hint="Print the shapes of both sides of the comparison.",
)
def checks_a_column(context: Tensor, candidate: Tensor) -> bool:
    return torch.allclose(context[:, 1], candidate)


@SINGLE_TOKEN_CHECK.mistake(
    name="one-entry-is-enough",
    sees="The check agrees with a vector of which only a part is right.",
    why="It is content as soon as some entry agrees, and vectors agree only where all entries do.",
    hint="Change one entry of the right vector and see whether the check notices.",
)
def one_entry_is_enough(context: Tensor, candidate: Tensor) -> bool:
    return bool(torch.isclose(context[1], candidate).any())


@SINGLE_TOKEN_CHECK.mistake(
    name="always-agrees",
    sees="The check is true for any vector.",
    why="A check that cannot fail says nothing about the two computations.",
    hint="Give it a vector that is surely wrong.",
)
def always_agrees() -> bool:
    return True


@SINGLE_TOKEN_CHECK.mistake(
    name="tolerance-too-wide",
    sees="The check agrees with a vector of which one entry is off in the fourth decimal.",
    why="The context vectors of neighbouring tokens are close, so a wide tolerance cannot tell them apart.",
    hint="Compare your tolerance with the difference between two rows of the output.",
)
def tolerance_too_wide(context: Tensor, candidate: Tensor) -> bool:
    return torch.allclose(context[1], candidate, atol=0.1)


@SINGLE_TOKEN_CHECK.mistake(
    name="compares-the-sums",
    sees="The check agrees with a vector that has the right entries in another order.",
    why="A sum or a mean keeps nothing of which entry is which, so that errors in two entries may cancel.",
    hint="Exchange two entries of the right vector and see whether the check notices.",
)
def compares_the_sums(context: Tensor, candidate: Tensor) -> bool:
    return bool((context[1].sum() - candidate.sum()).abs() <= 1e-4)


@SINGLE_TOKEN_CHECK.mistake(
    name="compares-the-means-loosely",
    sees="The check agrees with the right entries in another order, and with one entry slightly off.",
    why="A mean spreads one entry's error over all of them and keeps nothing of which entry is which.",
    hint="Change the right vector in one entry, then exchange two of its entries, and try the check on both.",
)
def compares_the_means_loosely(context: Tensor, candidate: Tensor) -> bool:
    return bool((context[1].mean() - candidate.mean()).abs() <= 1e-3)


@SINGLE_TOKEN_CHECK.mistake(
    name="difference-without-its-absolute-value",
    sees="The check agrees with a vector that is larger than the row in some entries.",
    why="A negative difference is smaller than any tolerance, however far off it is.",
    hint="Try the check with the two sides exchanged.",
)
def difference_without_its_absolute_value(context: Tensor, candidate: Tensor) -> bool:
    return bool((context[1] - candidate < 1e-4).all())


@SINGLE_TOKEN_CHECK.mistake(
    name="compares-every-row",
    sees="The check fails even for the right vector.",
    why="The vector was held against all rows of the output, although it belongs to one of them.",
    hint="Print the shapes of both sides: how many rows take part?",
)
def compares_every_row(context: Tensor, candidate: Tensor) -> bool:
    return torch.allclose(context, candidate, rtol=1e-4, atol=1e-6)


@SINGLE_TOKEN_CHECK.mistake(
    name="an-answer-for-each-entry",
    sees="The result is a tensor of true and false where one answer is expected.",
    why="The comparison was made entry by entry, and nothing has joined the answers into one.",
    hint="Print the result and count the answers.",
)
def an_answer_for_each_entry(context: Tensor, candidate: Tensor) -> Tensor:
    return torch.isclose(context[1], candidate, rtol=1e-4, atol=1e-6)


@SINGLE_TOKEN_CHECK.mistake(
    name="answers-whether-they-differ",
    sees="The check is true where the vectors differ and false where they agree.",
    why="The question was turned round: the answer should be true when the two computations agree.",
    hint="Read the name of the function, and say what True should mean.",
)
def answers_whether_they_differ(reference: Reference, context: Tensor, candidate: Tensor) -> bool:
    return not reference(context, candidate)
