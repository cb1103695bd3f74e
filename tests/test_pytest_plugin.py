"""The pytest plugin, in runs of pytest of its own."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.notebooks import read, text, write

pytest_plugins = ["pytester"]
SOURCE = Path(__file__).parents[1] / "source/query_key_value/query_key_value.ipynb"
HANDED_IN = "submitted/divides-by-d_k/query_key_value/query_key_value.ipynb"


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
    run = handed_in.runpytest_subprocess("--stagegrade", "-rs", "--junitxml=report.xml", "submitted")
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

    again = handed_in.runpytest_subprocess(
        "--stagegrade", "--lf", "-x", "-k", "scaling or context", HANDED_IN
    )
    again.assert_outcomes(failed=1, deselected=5)


@pytest.mark.timeout(300)
def test_notebooks_are_shared_out_among_workers(handed_in):
    """A class would be graded one after another."""
    write(handed_in.path / "submitted/right-throughout/query_key_value/query_key_value.ipynb", read(SOURCE))
    run = handed_in.runpytest_subprocess("--stagegrade", "-n", "2", "--dist", "loadfile", "submitted")
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
    run = handed_in.runpytest_subprocess("--stagegrade", "--collect-only", "-q")
    collected = {line.partition("::")[0] for line in run.outlines if "::" in line}
    assert {HANDED_IN} == collected


def test_a_notebook_of_no_assignment_is_an_error_that_says_so(pytester):
    """A misnamed notebook would pass by having no tests."""
    write(pytester.path / "essay.ipynb", {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    run = pytester.runpytest_subprocess("--stagegrade", "essay.ipynb")
    run.assert_outcomes(errors=1)
    run.stdout.fnmatch_lines(["*it cannot be told which assignment essay.ipynb is of*"])
