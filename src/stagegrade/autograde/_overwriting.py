"""Where grades may be written to: not over what a course is made of, nor over a file of another kind."""

from collections.abc import Iterator
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from stagegrade.autograde._course import gradebook_file


class NotOverwritten(Exception):
    """A file that a command did not make is where it was told to write. The message says what to do."""


def require_free(path: Path, suffix: str, coursedir: CourseDirectory, roster: str) -> None:
    """Raise ``NotOverwritten`` unless ``path`` is free, or an earlier file of the kind that ends in ``suffix``.

    ``roster`` is relative to the course.
    """
    at = path.resolve()
    root = Path(coursedir.root).resolve()
    if at == root / roster:
        raise NotOverwritten(f"{path} is the course's roster, which is read here. Name another file.")
    for folder in _own_folders(coursedir):
        # A course may be laid out so that one of them is all of it.
        if at.is_relative_to(root / folder) and not root.is_relative_to(root / folder):
            raise NotOverwritten(
                f"{path} is within {folder}, which is the course's own. Name a place outside of it."
            )
    gradebook = gradebook_file(coursedir.db_url)
    if gradebook is not None and at == gradebook.resolve():
        raise NotOverwritten(f"{path} is the course's gradebook. Name another file.")
    if path.is_file() and path.suffix.lower() != suffix:
        raise NotOverwritten(
            f"{path} is there already, and is no {suffix} file that could be written anew. "
            "Name another file, or move that one away."
        )


def _own_folders(coursedir: CourseDirectory) -> Iterator[str]:
    for step in ("source", "release", "submitted", "autograded", "feedback"):
        yield str(getattr(coursedir, f"{step}_directory"))
