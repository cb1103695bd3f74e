"""The documentation's site: its picture, its pages, and what they show of writing an assignment."""

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from tests.documents import ROOT, be_somebody, blocks, to_run, to_run_of_text
from tools.commands import run as run_here


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_of_the_imports_as_they_are() -> None:
    """The picture would show a house that is no longer there; mended by `python tools/architecture.py`."""
    assert tool("architecture").picture() == (ROOT / "docs/img/architecture.svg").read_text(encoding="utf-8")


def test_every_page_can_be_reached_from_the_sites_menu() -> None:
    """A page would be written and never read."""

    def pages(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        values = entry.values() if isinstance(entry, dict) else entry
        return [page for value in values for page in pages(value)]

    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert {path.name for path in ROOT.glob("docs/*.md")} == set(pages(yaml.safe_load(text)["nav"]))


def test_the_workflow_is_yaml_and_grades_with_the_plugin() -> None:
    """Whoever copies it would have a workflow that no host takes."""
    whole, install = (yaml.safe_load(block) for block in blocks("docs/classroom.md", "yaml"))
    (job,) = whole["jobs"].values()
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert any("pytest --stagegrade" in line for line in runs)
    assert ["uses", "run"] == [key for step in install for key in ("uses", "run") if key in step]


def test_options_of_the_plugin_that_are_shown_exist() -> None:
    """A student's run would end with an unknown option."""
    plugin = (ROOT / "src/stagegrade/pytest_plugin.py").read_text(encoding="utf-8")
    shown = set(re.findall(r"--stagegrade[\w-]*", (ROOT / "docs/classroom.md").read_text(encoding="utf-8")))
    assert {"--stagegrade", "--stagegrade-assignment", "--stagegrade-unprotected"} == shown
    assert set() == {option for option in shown if f'"{option}"' not in plugin}


@pytest.mark.timeout(300)
def test_writing_an_assignment_and_exporting_work_as_they_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An author's first hour would end at the first command."""
    be_somebody(monkeypatch, tmp_path / "home")
    assert 0 == run_here(tmp_path, "stagegrade", "new", "course")
    course = tmp_path / "course"
    with (course / "roster.csv").open("a", encoding="utf-8") as roster:
        roster.write("someone,One,Some,one@example.org,one,0001,17,A\n")
    assert 0 == run_here(course, "nbgrader", "generate_assignment", "query_key_value")
    shutil.copy(course / "release/query_key_value/query_key_value.ipynb", course)
    for document in ("docs/authoring.md", "docs/exports.md"):
        for words in [*to_run(document), *to_run_of_text(document)]:
            if words[1] == "autograde":
                # Which the text takes for granted: somebody has handed in.
                shutil.copytree(course / f"release/{words[2]}", course / f"submitted/someone/{words[2]}")
            assert 0 == run_here(course, *words), (words, capsys.readouterr().err)
    assert 0 == run_here(course, "nbgrader", "export"), "which the page says of writing grades.csv"
    (shown,) = blocks("docs/authoring.md", "text")
    said = capsys.readouterr().out
    assert shown.strip() in said
    assert '"name": "projection"' in said
    assert (course / "release/layer_norm/layer_norm.ipynb").exists()
    assert (course / "reports/layer_norm.html").exists()
    assert (course / "grades.csv").exists()
    assert "One, Some" in (course / "week-2.csv").read_text(encoding="utf-8")
