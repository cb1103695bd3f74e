"""nbgrader's extension points, where jail, judge and report are tied together."""

from stagegrade.autograde._configure import configure
from stagegrade.autograde._course import CONFIG_NAME, carried_source, course_around
from stagegrade.autograde._execute import StageExecute, warm_process
from stagegrade.autograde._exporter import SubmissionExporter
from stagegrade.autograde._preprocessors import RestoreCells, SaveVerdicts
from stagegrade.autograde._records import records
from stagegrade.autograde._single import UnknownAssignment, belonging, diagnose

__all__ = [
    "CONFIG_NAME",
    "RestoreCells",
    "SaveVerdicts",
    "StageExecute",
    "SubmissionExporter",
    "UnknownAssignment",
    "belonging",
    "carried_source",
    "configure",
    "course_around",
    "diagnose",
    "records",
    "warm_process",
]
