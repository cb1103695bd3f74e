"""Takes code and commands out of the documents, so that what they show is what is run."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import environment

ROOT = Path(__file__).parents[1]
DOCUMENTS = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md"))]
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`((?:stagegrade|nbgrader|make) [^`]+)`")

# Which file of tests runs the commands of a document, all of them but for those below.
RUN_BY = {
    "README.md": "tests/test_documents.py",
    "docs/authoring.md": "tests/test_site.py",
    "docs/classroom.md": "tests/test_pytest_plugin.py",
    "docs/exports.md": "tests/test_site.py",
    "docs/instructors.md": "tests/test_documents.py",
    "docs/maintainers.md": "tests/test_make.py",
    "docs/scaling.md": "tests/batch/test_scaling.py",
}

# What cannot be run by a test, by how it begins, and how far it is tried all the same.
NOT_RUN = {
    "kubectl": "needs a Kubernetes cluster; the grading at the forwarded address is run",
    "pip install": "installs from a registry; extras are looked up, and a wheel is installed in tests/apps",
    "make cohort": "grades the sample cohort; tests/cohort does the same, and holds what is committed against it",
    "make docs": "is run by .ci/run before the tests",
    "make lint": "is what make test begins with",
    "make screenshots": "is tests/browser, and then a copy of what they leave",
    "make setup": "installs from a registry; every other target begins with it",
    "make test": "runs these tests",
    "pytest tests/": "is a part of these tests; that the folder is there is looked up",
    "stagegrade bench attribution": "takes minutes; tests/bench runs it for a small sample",
    "stagegrade bench throughput": "takes a minute at its shortest; that its options exist is looked up",
}


def blocks(document: str, language: str) -> list[str]:
    """The fenced blocks of a language in one of the project's documents, in order."""
    return [body for kind, body in fenced(document) if kind == language]


def fenced(document: str) -> list[tuple[str, str]]:
    """All fenced blocks, each with its language."""
    return _FENCED.findall((ROOT / document).read_text(encoding="utf-8"))


def commands(document: str) -> list[list[str]]:
    """The commands of a document's console blocks, in order, each as words."""
    lines = [line for block in blocks(document, "console") for line in block.splitlines()]
    return [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ ")]


def mentioned(document: str) -> Iterator[list[str]]:
    """The commands in a document's running text, and the names of commands."""
    for code in _SPAN.findall((ROOT / document).read_text(encoding="utf-8")):
        yield shlex.split(code)


def to_run(document: str) -> list[list[str]]:
    """The commands of the console blocks, in order, that a test can run."""
    return [words for words in commands(document) if reason_against(words) is None]


def to_run_of_text(document: str) -> list[list[str]]:
    """The commands of the running text that can be run as they stand: neither a name alone, nor with a ``NAME``."""
    return [
        words
        for words in mentioned(document)
        if words[0] != "make" and words[2:] and not any(word.isupper() for word in words)
        if reason_against(words) is None
    ]


def reason_against(words: list[str]) -> str | None:
    """Why no test runs a command; ``None`` where one does."""
    line = " ".join(words)
    return next((why for start, why in NOT_RUN.items() if line.startswith(start)), None)


def be_somebody(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Commands that are run in this process find what those of a person at a terminal would."""
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)
