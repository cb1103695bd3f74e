"""The pytest plugin, in runs of pytest of its own, with the commands and options of docs/classroom.md."""

import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from tests.documents import blocks, to_run, to_run_of_text
from tests.notebooks import read, text, write

pytest_plugins = ["pytester"]
SOURCE = Path(__file__).parents[1] / "source/query_key_value/query_key_value.ipynb"
HANDED_IN = "submitted/divides-by-d_k/query_key_value/query_key_value.ipynb"
PAGE = "docs/classroom.md"
FOLDER, NOTEBOOK = (words[1:] for words in to_run(PAGE))
OPTIONS = {
    shown.split()[0].partition("=")[0]: shlex.split(shown)
    for shown in re.findall(r"^\| `(-[^`]+)` \|", (SOURCE.parents[2] / PAGE).read_text("utf-8"), re.MULTILINE)
}


def test_every_option_that_is_shown_is_tried_here():
    """An option of the page's table would be one that no run here has been given."""
    tried = ("-k", "-x", "--lf", "--junitxml", "-n", "--stagegrade-assignment", "--stagegrade-unprotected")
    assert tried == tuple(OPTIONS)


def test_what_the_text_names_is_run_where_a_course_is():
    """A command of the page's running text would be one that no test has tried."""
    # Which tests/test_documents.py runs.
    assert [] == [words for words in to_run_of_text(PAGE) if words not in to_run("docs/instructors.md")]


@pytest.fixture
def handed_in(pytester):
    """A notebook that divides by d_k, and says so in no other stage."""
    made = read(SOURCE)
    for cell in made["cells"]:
        cell["source"] = text(cell).replace("scores / d_k**0.5", "scores / d_k")
    write(pytester.path / HANDED_IN, made)
    return pytester


@pytest.mark.timeout(300)
def test_each_stage_is_a_test_that_says_what_went_wrong(handed_in):
    """A student would see red without a reason, or be blamed for what an earlier stage did."""
    run = handed_in.runpytest_subprocess(*FOLDER, "-rs", *OPTIONS["--junitxml"])
    run.assert_outcomes(passed=3, failed=1, skipped=2)
    run.stdout.fnmatch_lines(
        [
            "*_ query_key_value: scaling _*",
            "*This is the first stage to diverge: start here. Its checkpoint: scaling step.*",
            f"{HANDED_IN}: 10 of 12 points",
            "SKIPPED * right, and carries the error of scaling",
        ]
    )
    run.stdout.no_fnmatch_line("*pytest_plugin.py*Exception*")
    cases = {case.get("name"): case for case in ET.parse(handed_in.path / "report.xml").iter("testcase")}
    assert ["projection", "key_index", "scores", "scaling", "softmax", "context"] == list(cases)
    failure = cases["scaling"].find("failure")
    assert failure is not None
    assert "start here" in (failure.text or "")
    skipped = cases["softmax"].find("skipped")
    assert skipped is not None
    assert "carries the error of scaling" in (skipped.get("message") or "")
    properties = {p.get("name"): p.get("value") for p in cases["projection"].iter("property")}
    assert "3.0" == properties["points"]

    again = handed_in.runpytest_subprocess(*FOLDER, *OPTIONS["--lf"])
    again.assert_outcomes(failed=1)


@pytest.mark.timeout(300)
def test_one_notebook_is_stopped_at_its_first_divergence(handed_in):
    """`-x` would go on to what an earlier error has made of later stages, and a student read all of it."""
    shutil.copy(handed_in.path / HANDED_IN, handed_in.path)
    run = handed_in.runpytest_subprocess(*NOTEBOOK, *OPTIONS["-x"], *OPTIONS["--stagegrade-unprotected"])
    run.assert_outcomes(passed=3, failed=1)


@pytest.mark.timeout(300)
def test_of_a_notebook_that_cannot_be_read_one_stage_fails(pytester):
    """A student would read the same sentence six times; or nothing would fail, and the workflow be green."""
    (pytester.path / "query_key_value.ipynb").write_text("{")
    (workflow, _) = (yaml.safe_load(block) for block in blocks(PAGE, "yaml"))
    (line,) = (step["run"] for step in workflow["jobs"]["stages"]["steps"] if "run" in step)
    run = pytester.run(*shlex.split(line), "-rs")
    run.assert_outcomes(failed=1, skipped=5)
    run.stdout.fnmatch_lines(
        ["*_ query_key_value: projection _*", "SKIPPED * not reached: query_key_value.ipynb cannot be read"]
    )
    first, *others = ET.parse(pytester.path / "report.xml").iter("testcase")
    assert first.find("failure") is not None
    assert [] == [case.get("name") for case in others if case.find("skipped") is None]


@pytest.mark.timeout(300)
def test_notebooks_are_shared_out_among_workers(handed_in):
    """A class would be graded one after another."""
    write(handed_in.path / "submitted/right-throughout/query_key_value/query_key_value.ipynb", read(SOURCE))
    run = handed_in.runpytest_subprocess(
        *FOLDER,
        *(word.replace("4", "2") for word in OPTIONS["-n"]),
        "--stagegrade-assignment=query_key_value",
    )
    run.assert_outcomes(passed=9, failed=1, skipped=2)
    run.stdout.fnmatch_lines(
        [f"{HANDED_IN}: 10 of 12 points", "submitted/right-throughout/*.ipynb: 12 of 12 points"]
    )


def test_it_is_off_until_asked_for(handed_in):
    """Every run of pytest where stagegrade is installed would grade notebooks."""
    run = handed_in.runpytest_subprocess("submitted")
    assert pytest.ExitCode.NO_TESTS_COLLECTED == run.ret
    code = (
        "import stagegrade.pytest_plugin, sys; print([m for m in sys.modules if m in ('torch', 'nbgrader')])"
    )
    assert ["[]"] == handed_in.run("python", "-c", code).outlines


def test_in_a_course_what_was_handed_in_is_collected(handed_in):
    """The instructor's own source notebook would count as a submission."""
    (handed_in.path / "nbgrader_config.py").write_text("")
    for folder in ("source", "release", "autograded/someone"):
        write(handed_in.path / folder / "query_key_value/query_key_value.ipynb", read(SOURCE))
    run = handed_in.runpytest_subprocess("--stagegrade", "--collect-only", "-q", *OPTIONS["-k"])
    assert [f"{HANDED_IN}::scaling"] == [line for line in run.outlines if "::" in line]


def test_a_notebook_of_no_assignment_is_an_error_that_says_so(pytester):
    """A misnamed notebook would pass by having no tests."""
    write(pytester.path / "essay.ipynb", {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    run = pytester.runpytest_subprocess("--stagegrade", "essay.ipynb")
    run.assert_outcomes(errors=1)
    run.stdout.fnmatch_lines(["*it cannot be told which assignment essay.ipynb is of*"])
