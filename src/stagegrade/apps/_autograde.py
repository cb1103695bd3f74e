"""``stagegrade autograde``: nbgrader's autograde, with progress and the cohort's table at the end."""

import fnmatch
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.apps.baseapp import nbgrader_aliases
from nbgrader.converters import Autograde, BaseConverter
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from sqlalchemy.exc import SQLAlchemyError
from traitlets import Bool, Integer, Unicode, default

from stagegrade.apps._app import DONE, UNGRADED, UNPROTECTED, StageApp, console
from stagegrade.apps._progress import RunProgress
from stagegrade.apps._unusable import reason
from stagegrade.autograde import (
    Batch,
    ClusterRefused,
    Graded,
    Plan,
    StageExecute,
    SubmissionExporter,
    SubmissionLimits,
    WorkerRefused,
    cores,
    records,
    running,
    submitters,
)
from stagegrade.jail import WarmStartError
from stagegrade.report import LEGEND, cohort_table, sentence_of

MAX_TOLD = 20
MAX_ROWS = 100
INTERRUPTED = 130
SCHEMA = 1
KEPT = ("notebook", "status", "score", "max_score", "first_divergence", "flags")
"""Of each record, in ``--json`` and for the summary."""


class AutogradeApp(StageApp):
    name = "stagegrade-autograde"
    ungraded = "some submission could not be graded whole"
    description = "Grade what was collected for an assignment, stage by stage."
    operands = "ASSIGNMENT"
    examples = """
        Grade every submission of an assignment that is not graded yet, or was handed in anew:

            stagegrade autograde query_key_value

        Grade those of some students again:

            stagegrade autograde query_key_value --student 'keys-*' --force

        Grade on a cluster:

            stagegrade autograde query_key_value --dask tcp://10.0.0.5:8786
    """

    jobs = Integer(
        0,
        min=0,
        help="How many submissions are graded at a time; 0 stands for as many as there are processors.",
    ).tag(config=True)
    dask = Unicode(
        help="The address of a Dask scheduler, such as tcp://10.0.0.5:8786, whose workers grade in place of this "
        "machine. They need nothing but this package: submissions travel to them and grades come back."
    ).tag(config=True)
    verbose = Bool(False, help="Tell each submission as it is graded.").tag(config=True)
    as_json = Bool(False, help="Print one JSON object instead of a table.").tag(config=True)

    aliases: dict[str, Any] = {**nbgrader_aliases, "jobs": "AutogradeApp.jobs", "dask": "AutogradeApp.dask"}
    flags: dict[Any, Any] = {
        **StageApp.flags,
        **UNPROTECTED,
        ("f", "force"): ({"BaseConverter": {"force": True}}, "Grade again what is graded already."),
        "verbose": ({"AutogradeApp": {"verbose": True}}, "Tell each submission as it is graded."),
        "json": ({"AutogradeApp": {"as_json": True}}, "Print one JSON object instead of a table."),
    }

    @default("classes")
    def _classes_default(self) -> Any:
        return [
            *super()._classes_default(),
            BaseConverter,
            Autograde,
            StageExecute,
            SubmissionLimits,
            SubmissionExporter,
        ]

    def start(self) -> None:
        super().start()
        course = self.course()
        if course.assignment_id and not self.extra_args:
            self.extra_args = [course.assignment_id]
        (assignment,) = self.arguments()
        course.assignment_id = assignment
        for kind in (StageExecute, SubmissionLimits, SubmissionExporter):
            self.tell_unknown_options(kind)
        self.heed_termination()
        try:
            self._refuse_for_nothing(course)
            with (
                running(Path(course.root), assignment) as other,
                closing(Batch(Autograde(coursedir=course, parent=self))) as batch,
            ):
                if other:
                    said = f"another run is grading {assignment} here (process {other}); each grades what it finds"
                    print(f"{self.command}: {said}", file=sys.stderr)
                plan = batch.plan()
                self._tell_strange_names([*plan.to_grade, *plan.up_to_date, *plan.outdated])
                graded, progress, interrupted = self._grade(batch, plan)
        except NbGraderException as error:
            self.refuse(str(error))
        except (OSError, SQLAlchemyError) as error:
            self._stopped(error, course)
        if self.as_json:
            print(json.dumps(_as_json(assignment, plan, graded, progress), indent=2, ensure_ascii=False))
        else:
            self._show(course, plan, graded, progress)
        if interrupted:
            print("Interrupted. What was graded is kept; run it again to go on.", file=sys.stderr)
            sys.exit(INTERRUPTED)
        sys.exit(DONE if all(map(_is_whole, graded)) else UNGRADED)

    def _tell_strange_names(self, students: Sequence[str]) -> None:
        """Of folders that are graded here, and at which nbgrader's own commands stop, or which they pass by."""
        strange = [
            # nbgrader takes a folder's name for a pattern when it looks for what is in it.
            f"{self.command}: the folder {name!r} in submitted/ is graded, but nbgrader's own commands cannot handle "
            "such a name: rename it"
            for name in students
            if "\n" in name or not fnmatch.fnmatchcase(name, name)
        ]
        for line in strange[:MAX_TOLD]:
            print(line, file=sys.stderr)
        if len(strange) > MAX_TOLD:
            print(f"… and {len(strange) - MAX_TOLD} folders like these.", file=sys.stderr)

    def _stopped(self, error: OSError | SQLAlchemyError, course: CourseDirectory) -> NoReturn:
        """End for a disk that is full, a course that cannot be written, a gradebook that is not what it should be."""
        said, mend = reason(error, course.db_url)
        kept = "What was graded before is kept; when that is mended, run it again to go on."
        print(f"{self.command}: grading stopped: {said}. {mend} {kept}", file=sys.stderr)
        sys.exit(UNGRADED)

    def _refuse_for_nothing(self, course: CourseDirectory) -> None:
        assignment = course.assignment_id
        self.require_assignment(course, assignment)
        if not submitters(course, assignment, course.student_id):
            pattern = course.format_path(course.submitted_directory, course.student_id, assignment)
            self.refuse(
                f"there is nothing to grade: no folder is {pattern}. "
                f"Collect first (nbgrader collect {assignment}, or zip_collect), or name another student."
            )

    def _grade(self, batch: Batch, plan: Plan) -> tuple[list[Graded], RunProgress, bool]:
        graded: list[Graded] = []
        talk = Console(stderr=True)
        progress = RunProgress(len(plan.to_grade), talk, verbose=self.verbose)
        if not plan.to_grade:
            return graded, progress, False
        jobs = min(self.jobs or cores(), len(plan.to_grade))
        if self.dask and self.config.StageExecute.get("unprotected"):
            self.refuse("--unprotected is for this machine alone; on a cluster's workers walls always stand")
        try:
            with (
                batch.hands_of_cluster(self.dask) if self.dask else batch.hands(jobs) as hands,
                progress,
            ):
                for found in batch.run(plan.to_grade, hands, progress.tick):
                    # Of a class of any size no more than the end of the run tells.
                    graded.append(
                        replace(found, records=[{key: r[key] for key in KEPT} for r in found.records])
                    )
                    progress.graded(found.student, next(iter(found.records), None), found.failure)
        except (ClusterRefused, WarmStartError, WorkerRefused) as refused:
            self.refuse(str(refused))
        except KeyboardInterrupt:
            return graded, progress, True
        return graded, progress, False

    def _show(
        self, course: CourseDirectory, plan: Plan, graded: Sequence[Graded], progress: RunProgress
    ) -> None:
        out = console()
        count = len(graded) + len(plan.up_to_date) + len(plan.outdated)
        found: Mapping[str, Mapping[str, Any]]
        if count <= MAX_ROWS:
            found = records(course, course.assignment_id, course.student_id)
            if found:
                out.print(cohort_table(course.assignment_id, found))
                out.print(LEGEND, style="dim", markup=False)
        else:
            found = {g.student: g.records[0] for g in graded if g.records}
        if found:
            out.print(sentence_of(list(found.values())))
        self._tell(found, {g.student: g.failure for g in graded if g.failure is not None})
        said = f"{len(graded)} graded in {progress.seconds:.1f} s"
        said += f" ({progress.per_second:.1f}/s)" if graded else ""
        before = len(plan.up_to_date) + len(plan.outdated)
        said += f", {before} were graded before" if before else ""
        waiting = _not_whole(plan, graded)
        if waiting:
            said += (
                f"; {waiting} could not be graded whole and {'needs' if waiting == 1 else 'need'} a person"
            )
            said += f" (stagegrade report {course.assignment_id} says who, and what else to look at)"
        print(said, file=sys.stderr)
        if plan.outdated:
            print(
                f"{len(plan.outdated)} of those keep grades from before {course.assignment_id} or the rules of "
                f"grading changed; to grade them anew: {self.command} {course.assignment_id} --force",
                file=sys.stderr,
            )

    def _tell(self, graded: Mapping[str, Mapping[str, Any]], failures: Mapping[str, str]) -> None:
        """What an instructor should look into, on stderr."""
        told = [
            f"{student}: not graded: {why} (the log of it: --student '{student}' --debug)"
            for student, why in failures.items()
        ]
        for student, record in graded.items():
            status = "" if record["status"] == "graded" else f"{record['status']}: "
            told += [f"{student}: {status}{flag}" for flag in record["flags"] or ([status] if status else [])]
        for line in told[:MAX_TOLD]:
            print(line, file=sys.stderr)
        if len(told) > MAX_TOLD:
            print(
                f"… and {len(told) - MAX_TOLD} lines like these; stagegrade explain tells each submission's.",
                file=sys.stderr,
            )


def _is_whole(found: Graded) -> bool:
    return found.failure is None and all(record["status"] == "graded" for record in found.records)


def _not_whole(plan: Plan, graded: Sequence[Graded]) -> int:
    """How many could not be graded whole, now or in an earlier run, and nobody has settled since."""
    return sum(not _is_whole(found) for found in graded) + len(plan.unsettled)


def _as_json(assignment: str, plan: Plan, graded: Sequence[Graded], progress: RunProgress) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "assignment": assignment,
        "seconds": round(progress.seconds, 3),
        "per_second": round(progress.per_second, 3),
        "graded": len(graded),
        "up_to_date": len(plan.up_to_date),
        "outdated": len(plan.outdated),
        "not_whole": _not_whole(plan, graded),
        "diverging": dict(progress.diverging.most_common()),
        "submissions": [
            {
                "student": found.student,
                "failure": found.failure,
                "notebooks": list(found.records),
            }
            for found in graded
        ],
    }
