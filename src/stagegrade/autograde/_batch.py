"""A run over all submissions of an assignment: many graders, one writer, nothing done twice."""

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from operator import length_hint
from pathlib import Path
from typing import Any, Protocol

from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SQLAlchemyError
from traitlets.utils.importstring import import_item

from stagegrade.autograde._beside import flags_of, most_kilobytes
from stagegrade.autograde._course import pipeline_folders
from stagegrade.autograde._folders import Folders, newer
from stagegrade.autograde._grader import GradedNotebook, Grader, Submission
from stagegrade.autograde._limits import SubmissionLimits
from stagegrade.autograde._options import require_present
from stagegrade.autograde._origins import Origin, grounds_of, kept_of, origin_of
from stagegrade.autograde._pool import Lost, Pool
from stagegrade.autograde._records import submitters
from stagegrade.autograde._warming import warm_process_for
from stagegrade.autograde._writer import NoSuchStudent, Writer


@dataclass(frozen=True, kw_only=True)
class Graded:
    """What came of one submission. ``failure`` says why nothing was written of it."""

    student: str
    records: Sequence[Mapping[str, Any]] = ()
    failure: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run will do, found out before it begins."""

    to_grade: Sequence[str]
    up_to_date: Sequence[str]
    outdated: Sequence[str]
    """Graded as they were handed in, but since then the assignment or the rules of grading have changed."""
    unsettled: Sequence[str]
    """Of those graded before, who could not be graded whole, and whom no person has settled since."""


class Hands(Protocol):
    """Where submissions are graded: processes of this machine, or a cluster's."""

    def run(
        self, tasks: Iterator[Submission], tick: Callable[[], None]
    ) -> Iterator[tuple[Submission, list[GradedNotebook] | Lost]]: ...


class _Begun(Iterator[Submission]):
    """Each student's submission as it is begun; ``operator.length_hint`` tells how many are to come."""

    def __init__(self, students: Sequence[str], begin: Callable[[str], Submission]) -> None:
        self._students, self._begin = iter(students), begin

    def __next__(self) -> Submission:
        return self._begin(next(self._students))

    def __length_hint__(self) -> int:
        return length_hint(self._students)


class Batch:
    """Grades an assignment as ``converter``, nbgrader's, would, which is asked for its options and never started."""

    def __init__(self, converter: Any) -> None:
        self._converter = converter
        self._coursedir = converter.coursedir
        self._assignment = str(self._coursedir.assignment_id)
        self._folders = Folders(converter, self._assignment)
        self._writer = Writer(self._coursedir.db_url, self._coursedir.course_id, self._assignment)
        self._sources = self._writer.sources
        self._grounds = {name: grounds_of(self._folders, source) for name, source in self._sources.items()}
        listed = [import_item(n) if isinstance(n, str) else n for n in converter.autograde_preprocessors]
        self._late = AssignLatePenalties(parent=converter) if AssignLatePenalties in listed else None
        self._begun: set[str] = set()

    def plan(self) -> Plan:
        """Which submissions there are to grade: new ones, changed ones, and with ``force`` all."""
        excluded = set(filter(None, self._coursedir.student_id_exclude.split(",")))
        known = self._writer.origins()
        to_grade, up_to_date, outdated, ungraded = [], [], [], []
        for student in submitters(self._coursedir, self._assignment, self._coursedir.student_id):
            if student in excluded:
                continue
            now = {name: self._origin(student, name) for name in self._notebooks(student)}
            was = known.get(student)
            if not now:
                continue
            if (
                self._converter.force
                or was is None
                or self._is_missing(student, now)
                or self._is_changed(student, now, was)
            ):
                to_grade.append(student)
                continue
            before = {name: origin for name in now if (origin := was[name]) is not None}
            ungraded += [(student, name) for name, origin in before.items() if not origin.whole]
            if any(origin != now[name] for name, origin in before.items()):
                outdated.append(student)
            else:
                up_to_date.append(student)
        settled = self._writer.settled() if ungraded else set()
        unsettled = list(dict.fromkeys(one[0] for one in ungraded if one not in settled))
        return Plan(to_grade=to_grade, up_to_date=up_to_date, outdated=outdated, unsettled=unsettled)

    def _notebooks(self, student: str) -> list[str]:
        """The names of the notebooks to grade; one that was not handed in is graded too, unless one is asked for."""
        wanted = self._coursedir.notebook_id
        names = [name for name in self._sources if fnmatch.fnmatchcase(name, wanted)]
        if wanted == "*":
            return names
        return [n for n in names if (self._folders.collected(student) / f"{n}.ipynb").exists()]

    def _origin(self, student: str, name: str) -> Origin:
        return origin_of(self._folders, student, name, self._grounds[name])

    def _is_missing(self, student: str, now: Mapping[str, Origin]) -> bool:
        graded = self._folders.graded(student)
        if self._coursedir.notebook_id == "*":
            return not graded.exists()
        return any(not (graded / f"{name}.ipynb").exists() for name in now)

    def _is_changed(self, student: str, now: Mapping[str, Origin], was: Mapping[str, Origin | None]) -> bool:
        for name, found in now.items():
            before = was.get(name)
            if before is not None and before.submission != found.submission:
                return True
            if before is None and newer(
                self._coursedir, self._folders.collected(student), self._folders.graded(student)
            ):
                return True
        return False

    def hands(self, jobs: int) -> AbstractContextManager[Hands]:
        """Worker processes of this machine.

        Raises ``NbGraderException`` where an option names what is not there, ``NotAnswerable`` where a test asks for
        what no pipeline has, ``WarmStartError`` where no submission can be run.
        """
        converter, sources, root = self._converter, self._sources, Path(self._coursedir.root)
        require_present(converter.config)
        # One for all workers, which are forked with it. It starts in the time that the judge's modules take.
        warm = warm_process_for(converter, root)
        from stagegrade.autograde import _grading, _panels  # noqa: F401 - for the workers, once for all of them
        from stagegrade.autograde._answerable import require_stages

        # Before anything is graded: where it cannot be, nobody's grade is touched.
        require_stages(sources.values(), pipeline_folders(converter.config, root), converter.config)
        warm.prove()
        return Pool(jobs, lambda: Grader(converter, sources).grade)

    def hands_of_cluster(self, address: str) -> AbstractContextManager[Hands]:
        """The workers of the Dask cluster whose scheduler is at ``address``.

        Raises ``NotAnswerable`` as ``hands`` does, and ``ClusterRefused``.
        """
        from stagegrade.autograde._answerable import require_stages
        from stagegrade.autograde._cluster import Cluster
        from stagegrade.autograde._parcel import kit_of

        folders = pipeline_folders(self._converter.config, Path(self._coursedir.root))
        require_stages(self._sources.values(), folders, self._converter.config)
        limits = SubmissionLimits(parent=self._converter).limits()
        return Cluster(address, kit_of(self._converter, self._sources, folders), limits.scratch_bytes // 2)

    def run(
        self, students: Sequence[str], hands: Hands, tick: Callable[[], None] = lambda: None
    ) -> Iterator[Graded]:
        """Grade the submissions of ``students``; each is written when it is graded, and then told."""
        for submission, result in hands.run(_Begun(students, self._begin), tick):
            yield self._end(submission, result)

    def _begin(self, student: str) -> Submission:
        names = self._notebooks(student)
        folder = self._folders.collected(student)
        self._converter.notebooks = [str(folder / f"{name}.ipynb") for name in names]
        self._converter.run_pre_convert_hook()
        self._begun.add(student)
        return Submission(
            student=student,
            folder=folder,
            beside=self._folders.lay_out(student),
            notebooks=tuple(names),
            flags=tuple(flags_of(folder, most_kilobytes(self._converter))),
        )

    def _end(self, submission: Submission, result: list[GradedNotebook] | Lost) -> Graded:
        student = submission.student
        if isinstance(result, Lost):
            result = Grader(self._converter, self._sources).give_up(submission, result.said)
        self._folders.complete(student, {graded.name: graded.text for graded in result})
        try:
            self._writer.write(
                student,
                timestamp=self._coursedir.get_existing_timestamp(str(submission.folder)),
                marks={graded.name: graded.marks for graded in result},
                origins={
                    graded.name: kept_of(
                        self._origin(student, graded.name), graded.record["status"], graded.seconds
                    )
                    for graded in result
                },
                absent=[
                    name
                    for name in self._sources
                    if name not in submission.notebooks and not (submission.folder / f"{name}.ipynb").exists()
                ],
                late=self._late,
                create_student=self._converter.create_student,
            )
        except (SQLAlchemyError, NoSuchStudent, OSError) as error:
            self._discard(student)
            return Graded(student=student, failure=f"{type(error).__name__}: {error}")
        self._folders.publish(student)
        self._begun.discard(student)
        self._converter.notebooks = [
            str(self._folders.graded(student) / f"{name}.ipynb") for name in submission.notebooks
        ]
        self._converter.run_post_convert_hook()
        return Graded(student=student, records=[graded.record for graded in result])

    def _discard(self, student: str) -> None:
        self._folders.discard(student)
        self._begun.discard(student)

    def close(self) -> None:
        """Leave what is graded as it is, and nothing of what was only begun."""
        for student in [*self._begun]:
            self._discard(student)
        self._writer.close()
