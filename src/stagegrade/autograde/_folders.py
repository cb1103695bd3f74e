"""A submission's folders: what was collected, and what is laid out in its place once it is graded."""

import fnmatch
import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nbgrader import utils

from stagegrade.autograde._partial import move_into, own_name, put_in_place, remove_leftovers

MAX_COPIED_BYTES = 200 << 20


class Folders:
    """The folders of one assignment, as an nbgrader ``converter`` lays them out.

    A graded submission is put together in a folder beside its place and moved there whole, so that what stands in
    ``autograded/`` was graded to its end, whenever the grader may have been killed.
    """

    def __init__(self, converter: Any, assignment: str) -> None:
        self.converter = converter
        self._coursedir = converter.coursedir
        self._assignment = assignment
        self._own = own_name()
        source = Path(self._coursedir.format_path(self._coursedir.source_directory, ".", assignment))
        kept = set(converter.exclude_overwriting.get(assignment, []))
        # What the instructor handed out beside the notebooks takes the place of a student's copy.
        self._handed_out = {name: file for name, file in self._beside(source).items() if name not in kept}

    def collected(self, student: str) -> Path:
        return Path(
            self._coursedir.format_path(self._coursedir.submitted_directory, student, self._assignment)
        )

    def graded(self, student: str) -> Path:
        return Path(
            self._coursedir.format_path(self._coursedir.autograded_directory, student, self._assignment)
        )

    def partial(self, student: str) -> Path:
        """Where a submission is put together, by this process alone; it stays only where a grader was killed."""
        graded = self.graded(student)
        return graded.with_name(f".{graded.name}.{self._own}.partial")

    def fingerprint(self, student: str, notebook: str) -> str:
        """Changes when the notebook does, or a file beside it, or whether there is one at all."""
        folder = self.collected(student)
        digest = hashlib.sha256()
        own = f"{notebook}.ipynb"
        names = sorted(p.name for p in folder.glob("*.ipynb"))
        for name, file in [(n, folder / n) for n in names if n == own or own not in names]:
            _add(digest, name, file)
        for name, file in sorted(self._beside(folder).items()):
            _add(digest, name, file)
        return digest.hexdigest()

    def lay_out(self, student: str) -> Path:
        """The files that a submission's notebooks find beside them, copied into ``partial``."""
        partial = self.partial(student)
        remove_leftovers(partial.parent, f".{self.graded(student).name}.")
        partial.mkdir(parents=True)
        copied = 0
        for name, file in {**self._beside(self.collected(student)), **self._handed_out}.items():
            copied += file.stat().st_size
            if copied > MAX_COPIED_BYTES:
                self.converter.log.warning(
                    "%s holds more than %d bytes; the rest is left out", student, MAX_COPIED_BYTES
                )
                break
            target = partial / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
        return partial

    def complete(self, student: str, texts: Mapping[str, str]) -> None:
        """Add the graded notebooks, by name, to what was laid out."""
        partial = self.partial(student)
        for name, text in texts.items():
            (partial / f"{name}.ipynb").write_text(text, encoding="utf-8")
        mode = int(str(self.converter.permissions), 8)
        for folder, _, files in os.walk(partial):
            for file in files:
                (Path(folder) / file).chmod(mode)
            if self._coursedir.groupshared:
                Path(folder).chmod((Path(folder).stat().st_mode | 0o2770) & 0o2777)

    def publish(self, student: str) -> None:
        """Put what was completed in its place: the whole folder, or where only some notebooks are graded, those."""
        partial, graded = self.partial(student), self.graded(student)
        if self._coursedir.notebook_id == "*" or not graded.exists():
            put_in_place(partial, graded)
            return
        for file in [path for path in partial.rglob("*") if path.is_file()]:
            move_into(file, graded / file.relative_to(partial))
        shutil.rmtree(partial)

    def discard(self, student: str) -> None:
        shutil.rmtree(self.partial(student), ignore_errors=True)

    def _beside(self, folder: Path) -> dict[str, Path]:
        """The files in a folder by relative name, but for notebooks, links and what the course ignores."""
        ignored: Sequence[str] = self._coursedir.ignore
        found: dict[str, Path] = {}
        for place, folders, files in os.walk(folder):
            folders[:] = sorted(name for name in folders if not _matches(name, ignored))
            for name in sorted(files):
                path = Path(place) / name
                if name.endswith(".ipynb") or _matches(name, ignored) or not _is_plain(path):
                    continue
                found[str(path.relative_to(folder))] = path
        return found


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _add(digest: Any, name: str, file: Path) -> None:
    content = b""
    if _is_plain(file):
        with file.open("rb") as opened:
            content = hashlib.file_digest(opened, "sha256").digest()
    digest.update(hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest() + content)


def newer(coursedir: Any, collected: Path, graded: Path) -> bool:
    """Whether a submission was handed in after the one that was graded, by nbgrader's own time stamps."""
    new, old = (coursedir.get_existing_timestamp(str(folder)) for folder in (collected, graded))
    return new is not None and old is not None and bool(utils.parse_utc(new) > utils.parse_utc(old))
