"""Stages, pipelines and cases; the references; the catalogue of mistakes. Pure tensors: no notebook, no process."""

import atexit
import gc

from stagegrade.pipelines._case import Case, Kind
from stagegrade.pipelines._draw import cases, draw, draw_free
from stagegrade.pipelines._mistake import Catalogue, Mistake
from stagegrade.pipelines._pipeline import ModuleForm, Pipeline
from stagegrade.pipelines._registry import BrokenPipeline, NoSuchPipeline, find, names
from stagegrade.pipelines._rule import Costs, Rule, with_changes
from stagegrade.pipelines._small import shown_inputs, small_cases
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Shape, Trace, Value
from stagegrade.pipelines._working import figure

__all__ = [
    "BrokenPipeline",
    "Case",
    "Catalogue",
    "Costs",
    "Kind",
    "Mistake",
    "ModuleForm",
    "NoSuchPipeline",
    "Pipeline",
    "Rule",
    "Shape",
    "Stage",
    "Trace",
    "Value",
    "cases",
    "draw",
    "draw_free",
    "figure",
    "find",
    "names",
    "shown_inputs",
    "small_cases",
    "with_changes",
]

# As a program ends that has torch, Python would look through a million objects for cycles, which takes it a second.
atexit.register(gc.freeze)
