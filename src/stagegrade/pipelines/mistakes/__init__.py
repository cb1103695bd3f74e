"""The catalogue of mistakes: one module a family of stages, each with one ``Catalogue``.

A mistake is written once, and an assignment takes it for every stage of its own where it makes a difference:
``CATALOGUE.on(stage, without=…)``. Three helpers fit mistakes to a function of another cut: one that makes
the scores itself (``from_query_and_keys``), one that takes all the steps (``within_attention``), and one that
is not given a tensor which the mistake names, and so finds the worked example's (``reading_globals``).
"""

from stagegrade.pipelines.mistakes._globals import (
    reading_globals,
    worked_tensors,
    worked_tensors_without_weights,
)
from stagegrade.pipelines.mistakes._within_attention import within_attention
from stagegrade.pipelines.mistakes.context import CONTEXT
from stagegrade.pipelines.mistakes.first_failures import FIRST_FAILURES
from stagegrade.pipelines.mistakes.key_index import KEY_INDEX
from stagegrade.pipelines.mistakes.parameters import PARAMETERS
from stagegrade.pipelines.mistakes.projection import PROJECTION
from stagegrade.pipelines.mistakes.query_source import QUERY_SOURCE
from stagegrade.pipelines.mistakes.returned import RETURNED
from stagegrade.pipelines.mistakes.scaling import SCALING, from_query_and_keys
from stagegrade.pipelines.mistakes.score import SCORE
from stagegrade.pipelines.mistakes.scores import SCORES
from stagegrade.pipelines.mistakes.shape_prediction import SHAPE_PREDICTION
from stagegrade.pipelines.mistakes.single_token_check import SINGLE_TOKEN_CHECK
from stagegrade.pipelines.mistakes.softmax import SOFTMAX
from stagegrade.pipelines.mistakes.weight_kinds import WEIGHT_KINDS

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
    "from_query_and_keys",
    "reading_globals",
    "within_attention",
    "worked_tensors",
    "worked_tensors_without_weights",
]
