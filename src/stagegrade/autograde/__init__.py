"""nbgrader's extension points, where jail, judge and report are tied together.

A name is imported when it is first asked for: a course's configuration asks for ``configure`` at every command
of nbgrader's, most of which need nothing of torch.
"""

from typing import TYPE_CHECKING

from stagegrade import imported_when_asked

if TYPE_CHECKING:
    from stagegrade.autograde._batch import Batch, Graded, Plan
    from stagegrade.autograde._check import check
    from stagegrade.autograde._cluster import ClusterRefused
    from stagegrade.autograde._cohort import cohort
    from stagegrade.autograde._configure import configure
    from stagegrade.autograde._course import (
        CONFIG_NAME,
        carried_source,
        course_around,
        course_config,
        gradebook_file,
        option_list,
        pipeline_folders,
    )
    from stagegrade.autograde._execute import StageExecute
    from stagegrade.autograde._export import StageExport
    from stagegrade.autograde._exporter import SubmissionExporter
    from stagegrade.autograde._feedback import FeedbackExporter, GiveGrades
    from stagegrade.autograde._hidden import HideTests, without_hidden
    from stagegrade.autograde._limits import SubmissionLimits
    from stagegrade.autograde._options import absent, trait_said, unknown_options, wrong_values
    from stagegrade.autograde._overwriting import NotOverwritten, require_free
    from stagegrade.autograde._pool import WorkerRefused, cores
    from stagegrade.autograde._preprocessors import RestoreCells, SaveVerdicts
    from stagegrade.autograde._records import BrokenRecord, gradebook_assignments, records, submitters
    from stagegrade.autograde._roster import BrokenRoster
    from stagegrade.autograde._running import running
    from stagegrade.autograde._single import (
        UnknownAssignment,
        assignment_here,
        belonging,
        diagnose,
        stages_asked,
    )
    from stagegrade.autograde._source import answers, grade_id, pipeline_and_stage
    from stagegrade.autograde._template import CannotBegin, begin_assignment
    from stagegrade.autograde._trial_course import Belonging, NotDiagnosed
    from stagegrade.autograde._warming import warm_process

__all__ = [
    "CONFIG_NAME",
    "Batch",
    "Belonging",
    "BrokenRecord",
    "BrokenRoster",
    "CannotBegin",
    "ClusterRefused",
    "FeedbackExporter",
    "GiveGrades",
    "Graded",
    "HideTests",
    "NotDiagnosed",
    "NotOverwritten",
    "Plan",
    "RestoreCells",
    "SaveVerdicts",
    "StageExecute",
    "StageExport",
    "SubmissionExporter",
    "SubmissionLimits",
    "UnknownAssignment",
    "WorkerRefused",
    "absent",
    "answers",
    "assignment_here",
    "begin_assignment",
    "belonging",
    "carried_source",
    "check",
    "cohort",
    "configure",
    "cores",
    "course_around",
    "course_config",
    "diagnose",
    "grade_id",
    "gradebook_assignments",
    "gradebook_file",
    "option_list",
    "pipeline_and_stage",
    "pipeline_folders",
    "records",
    "require_free",
    "running",
    "stages_asked",
    "submitters",
    "trait_said",
    "unknown_options",
    "warm_process",
    "without_hidden",
    "wrong_values",
]

_HOMES = {
    "_batch": ("Batch", "Graded", "Plan"),
    "_check": ("check",),
    "_cluster": ("ClusterRefused",),
    "_cohort": ("cohort",),
    "_configure": ("configure",),
    "_course": (
        "CONFIG_NAME",
        "carried_source",
        "course_around",
        "course_config",
        "gradebook_file",
        "option_list",
        "pipeline_folders",
    ),
    "_execute": ("StageExecute",),
    "_export": ("StageExport",),
    "_exporter": ("SubmissionExporter",),
    "_feedback": ("FeedbackExporter", "GiveGrades"),
    "_hidden": ("HideTests", "without_hidden"),
    "_limits": ("SubmissionLimits",),
    "_overwriting": ("NotOverwritten", "require_free"),
    "_options": ("absent", "trait_said", "unknown_options", "wrong_values"),
    "_pool": ("WorkerRefused", "cores"),
    "_preprocessors": ("RestoreCells", "SaveVerdicts"),
    "_records": ("BrokenRecord", "gradebook_assignments", "records", "submitters"),
    "_roster": ("BrokenRoster",),
    "_running": ("running",),
    "_single": ("UnknownAssignment", "assignment_here", "belonging", "diagnose", "stages_asked"),
    "_source": ("answers", "grade_id", "pipeline_and_stage"),
    "_template": ("CannotBegin", "begin_assignment"),
    "_trial_course": ("Belonging", "NotDiagnosed"),
    "_warming": ("warm_process",),
}

__getattr__ = imported_when_asked(__name__, _HOMES)
