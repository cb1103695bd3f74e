"""The catalogue's mistakes as students write them: the slip itself, in as many manners as it is made in.

A slip is written apart from the catalogue's variant and from its reference: that is what makes finding it a
measurement. Names stand for values as in the catalogue. A manner of writing is one of ``MANNERS``.
"""

from stagegrade.bench.slips.context import CONTEXT
from stagegrade.bench.slips.parameters import PARAMETERS
from stagegrade.bench.slips.projection import PROJECTION, QUERY_SOURCE
from stagegrade.bench.slips.scaling import SCALING
from stagegrade.bench.slips.score import KEY_INDEX, SCORE
from stagegrade.bench.slips.scores import SCORES
from stagegrade.bench.slips.small import (
    FIRST_FAILURES,
    RETURNED,
    SHAPE_PREDICTION,
    SINGLE_TOKEN_CHECK,
    WEIGHT_KINDS,
)
from stagegrade.bench.slips.softmax import SOFTMAX

__all__ = [
    "CONTEXT",
    "FIRST_FAILURES",
    "KEY_INDEX",
    "PARAMETERS",
    "PROJECTION",
    "QUERY_SOURCE",
    "RETURNED",
    "SCALING",
    "SCORE",
    "SCORES",
    "SHAPE_PREDICTION",
    "SINGLE_TOKEN_CHECK",
    "SOFTMAX",
    "WEIGHT_KINDS",
]
