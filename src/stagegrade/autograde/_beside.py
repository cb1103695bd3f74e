"""What lies beside a submitted notebook and must not be followed, opened or copied."""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory

MAX_TOLD = 5
_KINDS = {
    stat.S_IFLNK: "is a link",
    stat.S_IFIFO: "is a pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
}


@dataclass(frozen=True)
class LeftOut:
    """A file of a submission that is left alone, and why."""

    path: Path
    why: str

    def told(self, folder: Path) -> str:
        name = str(self.path.relative_to(folder)).encode("utf-8", "replace").decode()
        return f"{name[:200]!r} {self.why} and was left out"


def left_out(folder: Path, most_kilobytes: int) -> Iterator[LeftOut]:
    """The files and links beneath a submission's ``folder`` that are none to be read, or too large."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        found = path.lstat()
        kind = stat.S_IFMT(found.st_mode)
        if kind == stat.S_IFDIR:
            yield from left_out(path, most_kilobytes)
        elif kind != stat.S_IFREG:
            yield LeftOut(path, _KINDS.get(kind, "is no file"))
        elif found.st_size > most_kilobytes << 10 and path.suffix != ".ipynb":
            yield LeftOut(path, f"has more than {most_kilobytes >> 10} MB")


def flags_of(folder: Path, most_kilobytes: int) -> list[str]:
    """What an instructor should see of it."""
    told = [found.told(folder) for found in left_out(folder, most_kilobytes)]
    return told[:MAX_TOLD] + ([f"and {len(told) - MAX_TOLD} more like these"] if len(told) > MAX_TOLD else [])


def most_kilobytes(converter: Any) -> int:
    """The size that the course allows for one file."""
    coursedir = getattr(converter, "coursedir", None)
    return int(
        coursedir.max_file_size if coursedir is not None else CourseDirectory.max_file_size.default_value
    )
