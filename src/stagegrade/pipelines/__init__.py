"""Stages, pipelines and cases; the references; the catalogue of mistakes. Pure tensors: no notebook, no process."""

from stagegrade.pipelines._case import Case, Kind
from stagegrade.pipelines._mistake import Catalogue, Mistake
from stagegrade.pipelines._pipeline import ModuleForm, Pipeline
from stagegrade.pipelines._registry import BrokenPipeline, NoSuchPipeline, find, names
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Shape, Trace, Value

__all__ = [
    "BrokenPipeline",
    "Case",
    "Catalogue",
    "Kind",
    "Mistake",
    "ModuleForm",
    "NoSuchPipeline",
    "Pipeline",
    "Shape",
    "Stage",
    "Trace",
    "Value",
    "find",
    "names",
]
