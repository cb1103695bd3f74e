"""What travels to a machine that shares no files with this one, and what is done with it there."""

import gc
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from stagegrade.autograde._grader import GradedNotebook, Grader, Submission
from stagegrade.autograde._source import SourceNotebook
from stagegrade.autograde._warming import warm_process, warm_process_for
from stagegrade.jail import pieces


@dataclass(frozen=True, kw_only=True, eq=False)
class Kit:
    """Of a course, all that grading one of its assignments takes; nothing of its gradebook.

    Two are never equal: whoever has one set up does so for as long as that very object is there.
    """

    name: str
    """Another for each run."""
    config: Config
    course_id: str
    assignment: str
    sources: Mapping[str, SourceNotebook]
    pipelines: tuple[tuple[tuple[str, bytes], ...], ...]
    """The files of each folder of pipelines, by name."""


@dataclass(frozen=True, kw_only=True)
class Parcel:
    """A submission, with the content of its files."""

    student: str
    notebooks: tuple[str, ...]
    flags: tuple[str, ...]
    handed_in: tuple[tuple[str, bytes | int | None], ...]
    """Each notebook's content; its size where it is too large to be read, ``None`` where it is no file."""
    beside: tuple[tuple[str, bytes], ...]

    @property
    def size(self) -> int:
        """Bytes of content."""
        return sum(
            len(content) for _, content in (*self.handed_in, *self.beside) if isinstance(content, bytes)
        )


def kit_of(converter: Any, sources: Mapping[str, SourceNotebook], pipelines: Sequence[Path]) -> Kit:
    config = deepcopy(converter.config)
    # Where this machine has things, and how its gradebook is reached, is no worker's business.
    for name in ("root", "db_url"):
        config.CourseDirectory.pop(name, None)
    return Kit(
        name=uuid4().hex,
        config=config,
        course_id=str(converter.coursedir.course_id),
        assignment=str(converter.coursedir.assignment_id),
        sources=sources,
        pipelines=tuple(
            tuple((file.name, file.read_bytes()) for file in sorted(folder.glob("*.py")))
            for folder in pipelines
        ),
    )


def packed(submission: Submission, most_bytes: int, most_beside: int) -> Parcel:
    """A submission's parcel: no notebook of more than ``most_bytes``, and ``most_beside`` bytes of other files."""
    handed_in: list[tuple[str, bytes | int | None]] = []
    for path in sorted(submission.folder.glob("*.ipynb")):
        content: bytes | int | None = None
        if path.is_file() and not path.is_symlink():
            size = path.stat().st_size
            content = size if size > most_bytes else path.read_bytes()
        handed_in.append((path.name, content))
    return Parcel(
        student=submission.student,
        notebooks=submission.notebooks,
        flags=submission.flags,
        handed_in=tuple(handed_in),
        beside=tuple(pieces(submission.beside, most_beside)),
    )


def _unpacked(parcel: Parcel, root: Path) -> Submission:
    folder, beside = root / "handed in", root / "beside"
    folder.mkdir()
    beside.mkdir()
    for name, content in parcel.handed_in:
        path = folder / name
        if content is None:
            # Whatever it was, it is as little a file here.
            path.mkdir()
        elif isinstance(content, int):
            with path.open("wb") as file:
                file.truncate(content)
        else:
            path.write_bytes(content)
    for name, piece in parcel.beside:
        path = beside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(piece)
    return Submission(
        student=parcel.student,
        folder=folder,
        beside=beside,
        notebooks=parcel.notebooks,
        flags=parcel.flags,
    )


class Bench:
    """Where a kit is set up on a worker: a folder with the course's pipelines, and a grader for each thread.

    It does not hold the kit itself.
    """

    def __init__(self, kit: Kit) -> None:
        self._sources = kit.sources
        self._root = Path(tempfile.mkdtemp(prefix="stagegrade-course-"))
        self._own = threading.local()
        folders = [self._root / f"pipelines-{number}" for number in range(len(kit.pipelines))]
        for folder, files in zip(folders, kit.pipelines, strict=True):
            folder.mkdir()
            for name, content in files:
                (folder / name).write_bytes(content)
        config = deepcopy(kit.config)
        config.CourseDirectory.root = str(self._root)
        config.CourseDirectory.course_id = kit.course_id
        config.CourseDirectory.assignment_id = kit.assignment
        config.StageExecute.pipelines = [str(folder) for folder in folders]
        self._config = config
        # It starts while the first submission is on its way.
        self._warm = warm_process_for(self._converter(), self._root)

    def _converter(self) -> Any:
        return Autograde(coursedir=CourseDirectory(config=self._config), config=self._config)

    def prepare(self) -> None:
        """Make ready to grade in this thread, where it is not. Raises ``WarmStartError`` where nothing can be run."""
        if getattr(self._own, "grader", None) is None:
            self._warm.prove()
            self._own.grader = Grader(self._converter(), self._sources)
            # Most of what is here stays as long as the course; in a million objects nothing would be found.
            gc.freeze()

    def grade(self, parcel: Parcel) -> list[GradedNotebook]:
        """Raises ``WarmStartError`` where no submission can be run. This thread has made ready."""
        with tempfile.TemporaryDirectory(prefix="submission-", dir=self._root) as folder:
            graded: list[GradedNotebook] = self._own.grader.grade(_unpacked(parcel, Path(folder)))
        return graded

    def clear(self) -> None:
        """Leave nothing of the course behind."""
        shutil.rmtree(self._root, ignore_errors=True)

    def cool(self) -> None:
        """End the warm process, which benches share."""
        self._warm.close()
        warm_process.cache_clear()
        gc.unfreeze()
