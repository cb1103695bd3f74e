"""nbgrader's extension points, where jail, judge and report are tied together."""

from stagegrade.autograde._configure import configure
from stagegrade.autograde._execute import StageExecute
from stagegrade.autograde._exporter import SubmissionExporter
from stagegrade.autograde._preprocessors import RestoreCells, SaveVerdicts

__all__ = ["RestoreCells", "SaveVerdicts", "StageExecute", "SubmissionExporter", "configure"]
