"""What README and docs show is what there is: commands are run or looked up, options held against the code."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from nbgrader.apps.nbgraderapp import NbGraderApp
from traitlets import HasTraits
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from stagegrade import autograde
from stagegrade.apps._main import StageGradeApp
from stagegrade.apps._new import _README
from stagegrade.pipelines import find, names
from stagegrade.report._verdicts import LOOKS
from tests import notebooks
from tests.documents import (
    DOCUMENTS,
    NOT_RUN,
    ROOT,
    RUN_BY,
    be_somebody,
    blocks,
    commands,
    fenced,
    mentioned,
    to_run,
    to_run_of_text,
)
from tools import screenshots
from tools.commands import run as run_here
from tools.picture import PICTURE, picture

STAGED = "query_key_value"
KEYS_TWO = {"solution-key_index": "def second_score(query, keys):\n    return query @ keys[2]\n"}
PROGRAMS = ("stagegrade", "nbgrader", "pytest", "python", "make", "dask", "kubectl", "pip", "mkdir", "chmod")


def test_every_page_with_commands_has_a_test_that_runs_them() -> None:
    """A command would be shown that nobody has tried since it was written."""
    assert set(RUN_BY) == {page for page in DOCUMENTS if to_run(page) or to_run_of_text(page)}
    for page, tests in RUN_BY.items():
        text = (ROOT / tests).read_text(encoding="utf-8")
        for word in (f'"{page}"', "to_run(", "to_run_of_text("):
            assert word in text, f"{tests} does not run all of {page}: {word} is not there"
    shown = [" ".join(words) for page in DOCUMENTS for words in [*commands(page), *mentioned(page)]]
    shown += [line for page in DOCUMENTS for line in _spans(page)]
    assert [] == [start for start in NOT_RUN if not any(line.startswith(start) for line in shown)]


def _spans(document: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", (ROOT / document).read_text(encoding="utf-8"))


def test_extras_that_are_shown_exist() -> None:
    """Somebody would install a part of the package that is not there, which pip says in passing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in DOCUMENTS)
    shown = set(re.findall(r"stagegrade\[(\w+)\]", pages))
    assert {"cluster", "parquet"} <= shown <= set(project["optional-dependencies"])


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_stand_in_console_blocks(document: str) -> None:
    """A command in another kind of block would be run by no test."""
    for kind, block in fenced(document):
        if kind not in ("console", "python", "yaml"):
            assert [] == [
                line for line in block.splitlines() if line.split()[:1] and line.split()[0] in PROGRAMS
            ]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("document", ["README.md", "docs/instructors.md"])
def test_a_course_works_as_it_is_shown(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first thing that an instructor tries would not work."""
    be_somebody(monkeypatch, tmp_path / "home")
    at = tmp_path
    for words in [*to_run(document), *to_run_of_text(document)]:
        if words[0] == "make":
            continue  # Run by tests/test_make.py.
        if words[0] in ("mkdir", "chmod"):
            subprocess.run([word.replace("/srv", str(tmp_path / "srv")) for word in words], check=True)
            continue
        if words[0] == "cd":
            at = at / words[1]
            _use_exchange(at, tmp_path / "exchange")
            continue
        if words[1] == "zip_collect":
            _download_from_lms(at)
        assert 0 == run_here(at, *words), (words, capsys.readouterr().err)
        # What the text between the commands says: a student hands in, and a notebook lies here.
        if words[1] == "generate_assignment" and not (at / f"{STAGED}.ipynb").exists():
            right = notebooks.solutions(at / f"source/{STAGED}/{STAGED}.ipynb")
            made = notebooks.filled(at / f"release/{STAGED}/{STAGED}.ipynb", right | KEYS_TWO)
            notebooks.write(at / f"{STAGED}.ipynb", made)
            if "collect" not in {shown[1] for shown in commands(document)}:
                notebooks.write(at / f"submitted/keys-two/{STAGED}/{STAGED}.ipynb", made)
        if words[1] == "release_assignment":
            student = tmp_path / "student"
            (student / STAGED).mkdir(parents=True)
            shutil.copy(at / f"{STAGED}.ipynb", student / STAGED)
            shutil.copy(at / "nbgrader_config.py", student)
            assert 0 == run_here(student, "nbgrader", "submit", STAGED, "--student=keys-two")
    assert (at / f"reports/{STAGED}.html").exists()
    assert (at / f"feedback/keys-two/{STAGED}/{STAGED}.html").exists()
    if document == "docs/instructors.md":
        assert (at / f"submitted/from-the-lms/{STAGED}/{STAGED}.ipynb").exists()
        assert 0o777 == (tmp_path / "srv/nbgrader/exchange").stat().st_mode & 0o777


def _download_from_lms(course: Path) -> None:
    """One ZIP of everybody's files, as an LMS gives it, and the configuration that the page shows for it."""
    archive = course / f"downloaded/{STAGED}/archive"
    archive.mkdir(parents=True)
    with ZipFile(archive / "all.zip", "w") as made:
        made.write(course / f"{STAGED}.ipynb", f"from-the-lms_{STAGED}.ipynb")
    (shown,) = [block for block in blocks("docs/instructors.md", "python") if "named_regexp" in block]
    with (course / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(shown)


def _use_exchange(course: Path, exchange: Path) -> None:
    exchange.mkdir(exist_ok=True)
    exchange.chmod(0o777)
    with (course / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(
            f"\nc.Exchange.root = {str(exchange)!r}\nc.Exchange.cache = {str(exchange / 'cache')!r}\n"
        )


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_and_their_options_exist(document: str) -> None:
    """A document would send people to a command or an option that is not there."""
    for words in [*commands(document), *mentioned(document)]:
        if words[0] not in ("stagegrade", "nbgrader"):
            assert words[0] in (*PROGRAMS, "cd"), words
            assert all((ROOT / word).exists() for word in words[1:] if word.startswith("tests/")), words
            continue
        app = NbGraderApp if words[0] == "nbgrader" else StageGradeApp
        if words[1].startswith("-"):
            continue
        kind: Any = app
        for word in words[1:]:
            # Of a command without any it is a trait, and no mapping.
            if not isinstance(kind.subcommands, dict) or word not in kind.subcommands:
                break
            kind = kind.subcommands[word][0]
            kind = import_item(kind) if isinstance(kind, str) else kind
        assert kind is not app, words
        flat = [
            name
            for key in (*kind.flags, *kind.aliases)
            for name in (key if isinstance(key, tuple) else [key])
        ]
        for word in words[2:]:
            name = word.partition("=")[0]
            if name.startswith("--") and "." not in name and name != "--help-all":
                assert name[2:] in flat, words


def test_a_new_courses_own_readme_names_commands_that_exist() -> None:
    """An instructor would begin with a command that fails."""
    shown = [line.split() for line in _README.splitlines() if line.startswith("    ")]
    assert {"nbgrader", "stagegrade", "jupyter"} == {words[0] for words in shown}
    for words in shown:
        assert words[0] == "jupyter" or words[1] in {**NbGraderApp.subcommands, **StageGradeApp.subcommands}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_options_that_are_shown_exist_and_take_the_value(document: str) -> None:
    """A course's configuration would be copied from here, and would not work."""
    for block in blocks(document, "python"):
        if not re.search(r"^c\.", block, re.MULTILINE):
            continue
        c = Config()
        exec(block, {"c": c})
        for name, section in c.items():
            kind = _configurable(name)
            for option, value in section.items():
                assert option in kind.class_trait_names(config=True), f"{name} has no option {option}"
                setattr(kind(), option, value)


def _configurable(name: str) -> type[HasTraits]:
    homes = {
        "Execute": "preprocessors",
        "CourseDirectory": "coursedir",
        "Exchange": "exchange.default.exchange",
    }
    found: type[HasTraits] = (
        getattr(autograde, name)
        if name in autograde.__all__
        else import_item(f"nbgrader.{homes.get(name, 'plugins')}.{name}")
    )
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    """A reader would be sent to a page that is not there."""
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not target.startswith(("https://", "http://")):
            assert (ROOT / document).parent.joinpath(target).exists(), target


def test_students_are_told_of_every_verdict_and_checkpoint() -> None:
    """A word in the feedback would stand nowhere in what students are given to read."""
    text = (ROOT / "docs/students.md").read_text(encoding="utf-8")
    for look in LOOKS.values():
        assert f"| {look.title} |" in text
    checkpoints = {stage.checkpoint for name in names() for stage in find(name).stages if stage.checkpoint}
    for checkpoint in checkpoints:
        assert f"| {checkpoint} |" in text


def test_the_picture_is_of_the_grades_that_are_committed() -> None:
    """The first thing a reader sees would not be what grading gives."""
    assert picture() == PICTURE.read_text(encoding="utf-8")
    assert "@font-face" not in picture()


def test_screenshots_that_are_shown_are_taken_by_the_browser_tests() -> None:
    """A picture would show pages as they were once, and nobody could take it again."""
    tests = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/browser/*.py"))
    taken = [re.sub(r"\{\w+\}", r"\\w+", name) for name in re.findall(r'shoot\(\s*page, f?"([^"]+)"', tests)]
    assert screenshots.names()
    for name in screenshots.names():
        assert any(re.fullmatch(pattern, name) for pattern in taken), name
        assert (ROOT / f"docs/img/{name}.png").read_bytes().startswith(b"\x89PNG")
