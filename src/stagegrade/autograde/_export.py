"""nbgrader's export plugin: the gradebook as a file for an LMS or for an analysis."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import ExportPlugin
from traitlets import Dict, Enum, Unicode

from stagegrade.autograde._grades import grades
from stagegrade.autograde._overwriting import NotOverwritten, require_free
from stagegrade.autograde._roster import BrokenRoster, read_roster
from stagegrade.report.exports import FORMATS, Format, Grade, NeedsPackage, Submitted, shared, unidentified

MAX_NAMED = 20

ROSTER = "roster.csv"


class StageExport(ExportPlugin):
    """Exports grades in a format of ``FORMATS``; ``to`` is the file, or the folder of many, to write."""

    format = Enum(list(FORMATS), "csv", help=f"One of: {', '.join(FORMATS)}.").tag(config=True)

    roster = Unicode(
        ROSTER,
        help="The file, relative to the course, that says by which names an LMS knows the students.",
    ).tag(config=True)

    items = Dict(
        key_trait=Unicode(),
        value_trait=Unicode(),
        help="For an assignment, what its column is called in the LMS, where that is not its own name.",
    ).tag(config=True)

    missing = Unicode(
        "",
        help="What to write where nothing was handed in: nothing, 0, or, for Canvas, EX (excused).",
    ).tag(config=True)

    @property
    def kind(self) -> Format:
        return FORMATS[self.format]

    @property
    def _roster_path(self) -> Path:
        app: Any = self.parent
        return Path(app.coursedir.root) / self.roster

    def export(self, gradebook: Gradebook) -> None:
        """Write the grades of ``assignment`` (all, if none is named) to ``to``."""
        names = [str(name) for name in self.assignment] or [str(a.name) for a in gradebook.assignments]
        try:
            chosen = self.grades(gradebook, names)
            files = self.places(self.to, self.files(chosen))
        except (BrokenRoster, NeedsPackage, NotOverwritten) as error:
            self.log.error("%s", error)
            sys.exit(1)
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            self.log.info("Wrote %s", path)
        for note in self.notes(chosen):
            self.log.warning("%s", note)

    def grades(self, gradebook: Gradebook, assignments: Sequence[str]) -> list[Grade]:
        """The grades to export. Raises ``BrokenRoster`` and nbgrader's ``MissingEntry``."""
        app: Any = self.parent
        coursedir: CourseDirectory = app.coursedir
        only = {str(name) for name in self.student}
        found = grades(
            coursedir,
            gradebook,
            assignments,
            roster=read_roster(self._roster_path, needed=self.roster != ROSTER),
            items=self.items,
        )
        return [grade for grade in found if not only or grade.student.id in only]

    def files(self, chosen: Sequence[Grade]) -> dict[str, bytes]:
        """The files' contents by name: one, or one for each submission that has a record.

        Whom the system could not find is in none. Raises ``BrokenRoster`` where it would take one for another.
        """
        kind = self.kind
        twice = shared(chosen, kind.identities)
        if twice:
            name, value, owners = twice
            both = f"{' and '.join(owners)} have the same {name}, {value}."
            # A name may also come from the gradebook, or be a folder's, for who is not in the roster.
            raise BrokenRoster(self._roster_path, f"{both} Give each of them their own there.")
        lost = {student.id for student in unidentified(chosen, kind.identities)}
        chosen = [grade for grade in chosen if grade.student.id not in lost]
        if kind.each is not None:
            return {
                f"{grade.assignment}/{grade.student.id}/results{kind.suffix}": kind.each(grade)
                for grade in chosen
                if grade.record is not None
            }
        assert kind.render is not None
        # The name that nbgrader's own export gives its table.
        name = "grades" if kind.name == "csv" else f"grades-{kind.name}"
        return {f"{name}{kind.suffix}": kind.render(chosen, self.missing)}

    def places(self, to: str, files: Mapping[str, bytes]) -> dict[Path, bytes]:
        """``files`` by where they go: the file ``to``, or within that folder. Raises ``NotOverwritten``."""
        app: Any = self.parent
        single = to and self.kind.each is None
        placed = {Path(to) if single else Path(to or ".") / name: content for name, content in files.items()}
        for path in placed:
            require_free(path, self.kind.suffix, app.coursedir, self.roster)
        return placed

    def notes(self, chosen: Sequence[Grade]) -> list[str]:
        """What whoever hands the file on should know of it, a line each."""
        said = []
        for state, what in _SAID.items():
            for assignment in dict.fromkeys(grade.assignment for grade in chosen):
                found = [_who(g, state) for g in chosen if g.assignment == assignment and _is(g, state)]
                if found:
                    said.append(f"{assignment}, {state}: {_named(found)}.{what}")
        unknown = unidentified(chosen, self.kind.identities)
        if unknown:
            said.append(
                f"left out, as {self.kind.name} could find them by no id: {_named([s.id for s in unknown])}. "
                f"Fill in {' or '.join(self.kind.identities)} in {self.roster}; an id must not begin like a formula."
            )
        return said

    def is_whole(self, chosen: Sequence[Grade]) -> bool:
        """Whether every submission has a score that no person has to decide on, and everybody an id."""
        open_ = {Submitted.UNGRADED, Submitted.IN_REVIEW, Submitted.UNREADABLE}
        return not unidentified(chosen, self.kind.identities) and not any(
            g.submitted in open_ for g in chosen
        )


_SAID: dict[Submitted, str] = {
    Submitted.MISSING: "",
    Submitted.LATE: "",
    Submitted.UNGRADED: " Grade them with stagegrade autograde, then export again.",
    Submitted.IN_REVIEW: " An LMS is given no score for them; finish them in formgrader, then export again.",
    Submitted.UNREADABLE: " The points are those of an answer that is not there: ask for the file and grade again, "
    "or give the points by hand in formgrader; then export again.",
}


def _is(grade: Grade, state: Submitted) -> bool:
    """Whether it is to be named for ``state``: of what was late, whatever else there is to be said of it."""
    return bool(grade.late_by) if state == Submitted.LATE else grade.submitted == state


def _who(grade: Grade, state: Submitted) -> str:
    """A student's id, with what of their submission it is about."""
    return (
        f"{grade.student.id} ({', '.join(grade.unreadable)})"
        if state == Submitted.UNREADABLE
        else grade.student.id
    )


def _named(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - MAX_NAMED
    return ", ".join(distinct[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
