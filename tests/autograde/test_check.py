"""`stagegrade check` on the template of an assignment, whole and then spoilt in one way after another."""

import json
import warnings

import pytest
import torch
from nbgrader.apps.baseapp import NbGrader

from stagegrade.autograde import CannotBegin, assignment_here, begin_assignment, check
from stagegrade.autograde._check import told_apart
from stagegrade.autograde._leaks import leaks
from stagegrade.pipelines import find
from stagegrade.report import proofs_text
from tests.notebooks import code_cell, grade_id, read, text, write

torch.set_num_threads(1)
CONFIG = "from stagegrade.autograde import configure\nc = get_config()\nconfigure(c)\n"
NAME = "layer_norm"
STAGES = "Every stage that is asked for is tested once"
HIDES = "The release holds no solution and no hidden test"
SOLUTION = "The solution gets full marks"
CHECKS = "Every cell runs, and the visible checks pass on the worked example"
BLANK = "The blank gets no marks"
MISTAKES = "Every mistake is caught and told apart"


@pytest.fixture
def course(tmp_path, monkeypatch):
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    begin_assignment(tmp_path, NAME)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def proofs():
    return {proof.title: proof for proof in check(assignment_here(NAME), NbGrader())}


def notebook(course):
    return course / "source" / NAME / f"{NAME}.ipynb"


def change(path, old, new):
    """Replace ``old`` in a file, in a notebook as it stands in a cell."""
    if path.suffix == ".ipynb":
        old, new = json.dumps(old)[1:-1], json.dumps(new)[1:-1]
    text = path.read_text(encoding="utf-8")
    assert 1 == text.count(old), f"{old!r} is in {path.name} {text.count(old)} times"
    path.write_text(text.replace(old, new), encoding="utf-8")


def failed(found):
    return [title for title, proof in found.items() if proof.findings]


def test_the_template_can_be_released_as_it_stands(course):
    """Whoever begins an assignment would begin by mending ours, or by wondering about a warning."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = proofs()
    assert [] == [one.message for one in warned if one.filename.endswith(f"{NAME}.py")]
    assert [STAGES, HIDES, SOLUTION, CHECKS, BLANK, MISTAKES] == list(found)
    assert [] == failed(found)
    assert "5 of 5 points" == found[SOLUTION].measured
    assert "4 mistakes" == found[MISTAKES].measured
    assert "Nothing is wrong: it can be released." in proofs_text(NAME, list(found.values()))


def test_what_is_wrong_with_a_notebook_is_told_all_at_once(course):
    """A class would be asked for what the course itself does not do, or be given points for the blank."""
    change(notebook(course), "mean_square**0.5", "mean_square")
    made = read(notebook(course))
    made["cells"].append(code_cell("pass", "test-gift", grade=True, locked=True, points=1))
    write(notebook(course), made)
    found = proofs()
    assert [SOLUTION, CHECKS, BLANK] == failed(found), proofs_text(NAME, list(found.values()))
    (wrong,), (unseen,), (gift,) = (found[title].findings for title in (SOLUTION, CHECKS, BLANK))
    assert "spread" == wrong.where
    assert "another unit" in wrong.what
    assert "test-spread" == unseen.where
    assert unseen.what.startswith("AssertionError: expected")
    assert ("test-gift", "the blank gets 1 of 1 points") == (gift.where, gift.what)
    assert "3 to mend before it is released." in proofs_text(NAME, list(found.values()))


def test_stages_that_do_not_fit_the_notebook_are_told(course):
    """The grader would fail on every submission of the class."""
    change(notebook(course), '"layer_norm.spread"', '"layer_norm.spraed"')
    found = proofs()
    assert [STAGES] == list(found)
    (finding,) = found[STAGES].findings
    assert ("test-spread", "there is no stage layer_norm.spraed") == (finding.where, finding.what)
    assert ("left out, as no cell hands it over: layer_norm.spread",) == found[STAGES].notes


def test_a_region_that_does_not_end_is_told_in_nbgraders_words(course):
    """The instructor would see no more than that something went wrong."""
    made = read(notebook(course))
    (cell,) = [cell for cell in made["cells"] if grade_id(cell) == "solution-spread"]
    cell["source"] = text(cell).replace("    ### END SOLUTION", "")
    write(notebook(course), made)
    (proof,) = proofs().values()
    assert "The release can be made" == proof.title
    said = "No end solution statement found. Cell contents are: def spread(centred):"
    assert proof.findings[0].what.startswith(said)


def released(*cells):
    return {"cells": list(cells)}


SOLVED = code_cell(
    "def f(x):\n    ### BEGIN SOLUTION\n    y = x.sum()  # all\n    return y\n    ### END SOLUTION",
    "solution-f",
    solution=True,
)


def found_in(*cells, source=SOLVED):
    return [(leak.cell, leak.what, leak.meant) for leak in leaks(released(source), released(*cells))]


def test_a_line_of_the_solution_in_a_check_is_told():
    """Students would read the solution in the cell below it."""
    said = "`y = x.sum()` is a line of the hidden part of solution-f"
    check_cell = code_cell("x = 1\ny = x.sum()", "test-f", grade=True)
    assert [("test-f", said, False)] == found_in(check_cell)
    assert [("snippet", said, True)] == found_in(code_cell("y = x.sum()", "snippet", locked=True))


def test_a_line_that_gives_nothing_away_may_stand_anywhere():
    """`return y` in a helper would keep an assignment from being released."""
    assert [] == found_in(code_cell("return y", "test-f", grade=True), code_cell("z = x.max()", "test-g"))


@pytest.mark.parametrize(
    "words", ["Like so:\n\n    y = x.sum()\n", "Take `y = x.sum()` here.", "- y = x.sum()"]
)
def test_a_line_of_the_solution_in_the_text_is_told(words):
    """Students would read the solution above the cell that asks for it."""
    cell = {"cell_type": "markdown", "metadata": {}, "source": words}
    said = "`y = x.sum()` is a line of the hidden part of solution-f"
    assert [("cell 1", said, False)] == found_in(cell)
    assert [("snippet", said, True)] == found_in(code_cell("y = x.sum()", "snippet", locked=True), cell)


def test_a_line_of_the_solution_in_a_comment_is_told():
    """Commented out it can be read as well."""
    assert ["test-f"] == [leak[0] for leak in found_in(code_cell("# y = x.sum()", "test-f", grade=True))]


def test_a_solution_without_a_region_is_hidden_as_a_whole():
    """nbgrader takes the whole cell out, so the whole cell is the solution."""
    whole = code_cell("def g(x):\n    return x.max()", "solution-g", solution=True)
    assert ["test-g"] == [
        leak[0] for leak in found_in(code_cell("return x.max()", "test-g", grade=True), source=whole)
    ]


@pytest.mark.parametrize("line", ["### BEGIN SOLUTION", "import stageprobe", "### END HIDDEN TESTS"])
def test_a_mark_that_is_left_is_told(line):
    """A region that nbgrader did not take out would go out to the class."""
    assert ["test-f"] == [leak[0] for leak in found_in(code_cell(line, "test-f", grade=True))]


def test_outputs_that_are_left_are_told():
    """The instructor's figures would be in every student's notebook."""
    cell = code_cell("f(x)", "try-f", locked=True) | {
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}]
    }
    assert [("try-f", "it has outputs of the instructor's run", False)] == found_in(cell)


def spoilt(course, line):
    """What is proved of the mistakes once one of them computes ``line``."""
    path = course / "pipelines" / f"{NAME}.py"
    change(path, "return x - x.mean()\n", f"return {line}\n")
    return told_apart([find(NAME, [path.parent])], seed=1)


def test_a_mistake_that_is_none_is_told(course):
    """The catalogue would hold a mistake that gets full marks."""
    (finding,) = spoilt(course, "x - x.mean(-1, True)").findings
    assert ("centre: one-mean-for-all", "it gets full marks") == (finding.where, finding.what)


def test_a_mistake_that_is_never_recognised_is_told(course):
    """A student would be told nothing of what went wrong."""
    (finding,) = spoilt(course, "x - torch.rand_like(x)").findings
    assert "centre: one-mean-for-all" == finding.where
    assert "not named" in finding.what


def test_mistakes_that_look_alike_are_noted_and_not_held_against_it(course):
    """Two ways to the same wrong numbers would keep an assignment from being released."""
    proof = spoilt(course, "x - x.mean(-2, True)")
    assert () == proof.findings
    (note,) = proof.notes
    assert "mean-over-the-rows, one-mean-for-all" in note


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "name", ["simplified_attention", "query_key_value", "find_the_divergence", "self_attention"]
)
def test_every_assignment_of_the_course_can_be_released(name, tmp_path, monkeypatch):
    """The course that comes with the kit would not pass its own check."""
    monkeypatch.chdir(tmp_path)
    found = check(assignment_here(name), NbGrader())
    assert 6 == len(found)
    assert [] == [finding for proof in found for finding in proof.findings]


@pytest.mark.parametrize("name", ["Layer", "layer-norm", "1st", "", "class", "query_key_value", "../x"])
def test_a_name_that_cannot_be_is_refused(course, name):
    """A folder would be made that nbgrader or the registry of pipelines cannot find."""
    with pytest.raises(CannotBegin):
        begin_assignment(course, name)


def test_beginning_overwrites_nothing(course):
    """An afternoon's work would be gone for typing a name twice."""
    before = notebook(course).read_bytes()
    with pytest.raises(CannotBegin, match="is already there"):
        begin_assignment(course, NAME)
    assert before == notebook(course).read_bytes()
