"""Feedback as nbgrader's ``generate_feedback`` makes it, with this kit's page in place of a template."""

import mimetypes
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary, finalize

from nbconvert.exporters import Exporter
from nbformat import NotebookNode, convert, current_nbformat, reader
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import default

from stagegrade.autograde._gradebook import grades_of
from stagegrade.autograde._panels import KEY
from stagegrade.report import feedback_page

# Larger than this a picture stays outside, and so do those after as much of a page: one may be named a thousand times.
MAX_PICTURE, MAX_PICTURES = 2_000_000, 10_000_000
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")


class GiveGrades(NbGraderPreprocessor):
    """Reads the gradebook for the page, in place of ``GetGrades``, which asks for each cell alone."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        names = resources["nbgrader"]
        with _gradebook_of(getattr(self.parent, "parent", None) or self, names["db_url"]) as gradebook:
            grades = grades_of(gradebook, names["assignment"], names["notebook"], names["student"])
        resources[KEY] = {"grades": grades}
        return nb, resources


_opened: "WeakKeyDictionary[Any, Gradebook]" = WeakKeyDictionary()


@contextmanager
def _gradebook_of(run: Any, db_url: str) -> Iterator[Gradebook]:
    """The gradebook, opened once for a run over a class: each time it is opened, every query is compiled anew."""
    gradebook = _opened.get(run)
    if gradebook is None:
        gradebook = _opened[run] = Gradebook(db_url)
        finalize(run, gradebook.close)
    try:
        yield gradebook
    finally:
        # What others write meanwhile is seen the next time.
        gradebook.db.rollback()


class FeedbackExporter(Exporter):
    """Gives nbgrader the page for each notebook that was graded."""

    output_mimetype = "text/html"

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_file(  # type: ignore[override]  # as nbconvert's own exporters of text do
        self, file_stream: IO[str], resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """As nbconvert's, less its copies and its checks: what was graded was checked as it was written, and what
        is read here is nobody else's. They would take more than half of the time that a page takes."""
        notebook = reader.reads(file_stream.read())
        if notebook.nbformat != current_nbformat:
            notebook = convert(notebook, current_nbformat)
        return self._page(notebook, self._init_resources(resources))

    def from_notebook_node(  # type: ignore[override]  # likewise
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        return self._page(deepcopy(nb), self._init_resources(resources))

    def _page(self, prepared: NotebookNode, found: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        for preprocessor in self._preprocessors:
            prepared, found = preprocessor(prepared, found)
        names = found["nbgrader"]
        beside = Path(str(found["metadata"]["path"]))
        record = prepared.metadata.get(KEY)
        page = feedback_page(
            prepared,
            title=names["notebook"],
            student=names["student"],
            grades=found[KEY]["grades"],
            record=record if record and "stages" in record else None,
            ours=KEY,
            picture=_Pictures(beside),
        )
        return page, found


class _Pictures:
    """Gives the pictures in the notebook's own folder as data URIs: of a page that is sent, they are a part."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = MAX_PICTURES

    def __call__(self, address: str) -> str | None:
        kind, _ = mimetypes.guess_type(address.partition("?")[0])
        try:
            path = (self._folder / address.partition("?")[0]).resolve()
            if kind not in PICTURES or not path.is_relative_to(self._folder.resolve()) or not path.is_file():
                return None
            size = path.stat().st_size
            if size > min(MAX_PICTURE, self._left):
                return None
            self._left -= size
            return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"
        except (OSError, ValueError):
            return None
