"""Reads the notebooks that are to be graded, in place of nbconvert's own reading, which trusts them."""

import glob
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, from_dict
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from traitlets import Integer

from stagegrade.autograde._beside import flags_of, left_out, most_kilobytes
from stagegrade.autograde._course import pipeline_folders
from stagegrade.autograde._options import require_present
from stagegrade.autograde._read import MAX_BYTES, UnreadableNotebook, read_notebook
from stagegrade.autograde._restore import blank
from stagegrade.autograde._source import SourceNotebook, source_for, source_notebook
from stagegrade.autograde._warming import warm_process_for
from stagegrade.jail import WarmStartError


class SubmissionExporter(NotebookExporter):
    """Gives nbgrader a notebook for each submission, a blank one where what was handed in is none."""

    max_notebook_bytes = Integer(
        MAX_BYTES, help="A larger notebook is not read; its student is told to clear the outputs."
    ).tag(config=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        converter = self.parent
        if converter is not None and getattr(converter, "assignments", None):
            try:
                # Before anything is graded: where it cannot be, nobody's grade is touched.
                require_present(converter.config)
                _require_stages(converter)
                warm_process_for(converter, Path(converter.coursedir.root)).prove()
            except (NbGraderException, WarmStartError) as error:
                # nbgrader's command ends on such an error without a word.
                self.log.error("%s", error)
                raise NbGraderException(str(error)) from error
            _expect_every_submission(converter)
            _copy_nothing_strange(converter)

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[NotebookNode, dict[str, Any]]:
        path = Path(filename)
        resources = dict(resources or {})
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        if path.exists():
            modified = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
            resources["metadata"]["modified_date"] = modified.strftime("%B %d, %Y")
        if getattr(self.parent, "_sanitizing", True):
            flags = flags_of(path.parent, most_kilobytes(self.parent))
            notebook = submitted_notebook(path, source_for(resources), self._expected(resources), flags, self)
        else:
            # The second pass reads what the first wrote, and what that one found is still in it.
            notebook = read_notebook(path, self.max_notebook_bytes)
            notebook.metadata["stagegrade"] = _kept(path)
        result: tuple[NotebookNode, dict[str, Any]] = self.from_notebook_node(notebook, resources, **kw)
        return result

    def _expected(self, resources: dict[str, Any]) -> list[str]:
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            return [str(n.name) for n in gradebook.find_assignment(names["assignment"]).notebooks]


def submitted_notebook(
    path: Path,
    source: SourceNotebook,
    expected: Sequence[str],
    beside: Sequence[str],
    exporter: SubmissionExporter,
) -> NotebookNode:
    """The notebook at ``path`` as it was handed in; a blank one where that is none, its record saying why.

    ``expected`` are the names of the assignment's notebooks, ``beside`` the flags of what lies there with it.
    """
    file, flags = _file_of(path, expected)
    flags += beside
    for flag in flags:
        exporter.log.warning("%s: %s", path.parent, flag)
    try:
        notebook = read_notebook(file, exporter.max_notebook_bytes)
        notebook.metadata["stagegrade"] = from_dict({"flags": flags})
    except UnreadableNotebook as error:
        exporter.log.warning("%s: %s", path, error)
        notebook = blank(source)
        notebook.metadata["stagegrade"] = from_dict(
            {"status": "unreadable", "reason": str(error), "flags": [str(error), *flags]}
        )
    return notebook


def _file_of(path: Path, expected: Sequence[str]) -> tuple[Path, list[str]]:
    """The notebook's file, and flags: it may have another name, as a browser's second download has."""
    found = sorted(path.parent.glob("*.ipynb")) if path.parent.is_dir() else []
    if found in ([], [path]):
        return path, []
    strays = [file for file in found if file.stem not in expected]
    missing = [name for name in expected if not (path.parent / f"{name}.ipynb").exists()]
    if len(strays) == 1 and missing == [path.stem]:
        return strays[0], [f"graded from {strays[0].name}, which stands in place of {path.name}"]
    names = " or ".join(f"{name}.ipynb" for name in (missing or expected))
    if not missing:
        return path, [f"{file.name} was handed in beside {names}, and is not graded" for file in strays]
    only = ", if it is the one to grade" if len(strays) > 1 else ""
    return path, [f"{file.name} is not graded: rename it to {names}{only}" for file in strays]


def _copy_nothing_strange(converter: Any) -> None:
    """Have nbgrader leave out what it would follow or wait for when it copies the files beside a notebook."""
    coursedir = converter.coursedir
    for folder in list(converter.assignments):
        for found in left_out(Path(folder), most_kilobytes(converter)):
            # nbgrader looks for a pattern in each file's own folder; a whole path is found from anywhere.
            coursedir.ignore.append(glob.escape(str(found.path)))
            if found.path.name == "timestamp.txt" and found.path.parent == Path(folder):
                # This one nbgrader opens itself.
                converter.log.error("%s: not graded: %s", folder, found.told(Path(folder)))
                converter.assignments.pop(folder)


def _kept(path: Path) -> NotebookNode:
    found = json.loads(path.read_bytes()).get("metadata", {}).get("stagegrade", {})
    node: NotebookNode = from_dict(found)
    return node


def _require_stages(converter: Any) -> None:
    from stagegrade.autograde._answerable import require_stages

    coursedir = converter.coursedir
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        names = [
            n.name for a in gradebook.assignments if a.name == coursedir.assignment_id for n in a.notebooks
        ]
        sources = [source_notebook(gradebook, coursedir.assignment_id, str(name)) for name in names]
    require_stages(sources, pipeline_folders(converter.config, Path(coursedir.root)), converter.config)


def _expect_every_submission(converter: Any) -> None:
    """Add to what nbgrader will convert each submission that has no notebook of the right name.

    nbgrader leaves a folder without notebooks out with a line in its log, and stops at one whose notebook has
    another name. Listed, such a submission is graded as far as it goes and ends with a status of its own.
    """
    coursedir = converter.coursedir
    if coursedir.notebook_id != "*":
        return
    pattern = converter._format_source(coursedir.assignment_id, coursedir.student_id)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        expected = {a.name: [n.name for n in a.notebooks] for a in gradebook.assignments}
    names = expected.get(coursedir.assignment_id, [])
    for folder in sorted(Path(coursedir.root).glob(os.path.relpath(pattern, coursedir.root))):
        if not folder.is_dir():
            continue
        listed = converter.assignments.setdefault(str(folder), [])
        for name in names:
            path = str(folder / f"{name}.ipynb")
            if path not in listed:
                listed.append(path)
