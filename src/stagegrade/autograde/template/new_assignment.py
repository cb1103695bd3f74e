"""Layer normalisation without its learned scale and shift: every row is centred, then brought to a mean square of one.

A template: put your own stages in place of these two, and your own mistakes in place of theirs. Then
`stagegrade check new_assignment` says whether students can solve it and what is still given away.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from stagegrade.pipelines import Catalogue, Pipeline, Stage


# What each stage computes. Its parameters are what it reads: inputs of the pipeline, or what earlier stages give.
def _centre(x: Tensor) -> Tensor:
    return x - x.mean(dim=-1, keepdim=True)


def _spread(centred: Tensor) -> Tensor:
    return centred / centred.pow(2).mean(dim=-1, keepdim=True).sqrt()


# The example that the notebook shows, and whose figures its visible checks name.
def _worked() -> Mapping[str, Tensor]:
    return {"x": torch.tensor([[1.0, 2.0, 6.0], [0.0, 4.0, 2.0]])}


# Wrong ways, each computed as a student's code would. Whose code gives the same on every case reads its texts.
CENTRE = Catalogue("centre")
SPREAD = Catalogue("spread")


@CENTRE.mistake(
    name="mean-over-the-rows",
    sees="Every column has a mean of zero where every row should.",
    why="The mean was taken along the first dimension, which counts the rows.",
    hint="Print the mean of the first row of what your function returns.",
)
def _mean_over_the_rows(x: Tensor) -> Tensor:
    return x - x.mean(dim=-2, keepdim=True)


@CENTRE.mistake(
    name="one-mean-for-all",
    sees="The whole matrix has a mean of zero, and its rows have not.",
    why="One mean was taken of all the numbers, so every row was moved by the same amount.",
    hint="Print the shape of the mean that you subtract.",
)
def _one_mean_for_all(x: Tensor) -> Tensor:
    return x - x.mean()


@SPREAD.mistake(
    name="divided-by-the-variance",
    sees="Rows that were spread wide come out narrow, and narrow ones wide.",
    why="The variance is a square, and has another unit than the numbers that it divides.",
    hint="Say what happens to your result when every input is made ten times as large.",
)
def _divided_by_the_variance(centred: Tensor) -> Tensor:
    return centred / centred.pow(2).mean(dim=-1, keepdim=True)


@SPREAD.mistake(
    name="one-less-than-the-count",
    sees="The numbers are a little too small, and the fewer there are in a row the more so.",
    why="The sum of squares was divided by one less than their count, as for a sample of something larger.",
    hint="Look up what the function that you call does unless it is told otherwise.",
)
def _one_less_than_the_count(centred: Tensor) -> Tensor:
    # What std() does; of a single number it warns, and the smallest cases have rows with one.
    squares = centred.pow(2).sum(dim=-1, keepdim=True)
    return centred / (squares / (centred.shape[-1] - 1)).sqrt()


PIPELINE = Pipeline(
    name="new_assignment",
    # Drawn at random in these shapes; in every case each named size is another number.
    inputs={"x": ("n", "d")},
    worked=_worked,
    stages=(
        Stage(
            name="centre",
            purpose="takes its mean from every row",
            formula="x - mean(x)",
            reference=_centre,
            gives={"centred": ("n", "d")},
            batched=True,
        ),
        Stage(
            name="spread",
            purpose="divides every row by the root of its mean square",
            formula="centred / √mean(centred²)",
            reference=_spread,
            gives={"normal": ("n", "d")},
            batched=True,
        ),
    ),
    mistakes=(*CENTRE.on(), *SPREAD.on()),
)
