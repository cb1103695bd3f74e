"""Hidden tests stay hidden in what goes back to students."""

from nbformat.v4 import new_code_cell, new_notebook, new_output
from traitlets.config import Config

from stagegrade.autograde import HideTests

SOURCE = """x = scale(1)
### BEGIN HIDDEN TESTS
import stageprobe; stageprobe.answer("query_key_value.scaling", scale)
assert scale(9) == 3
### END HIDDEN TESTS
assert x"""


def hide(*cells, config=None):
    notebook, _ = HideTests(config=config or Config()).preprocess(new_notebook(cells=list(cells)), {})
    return notebook.cells


def test_a_hidden_region_is_replaced_in_the_source() -> None:
    """A student would read the tests of next year's course."""
    (cell,) = hide(new_code_cell(SOURCE))
    assert "x = scale(1)\n# (hidden tests)\nassert x" == cell.source


def test_a_region_that_is_never_closed_is_hidden_to_the_end() -> None:
    """A missing last line would show everything."""
    (cell,) = hide(new_code_cell("x = 1\n### BEGIN HIDDEN TESTS\nassert scale(9) == 3"))
    assert "x = 1\n# (hidden tests)" == cell.source


def test_a_traceback_does_not_quote_what_is_hidden() -> None:
    """An error in a hidden test shows five of its lines, in colours that hide them from a plain search."""
    quoted = [
        "\x1b[31mAssertionError\x1b[39m  Traceback (most recent call last)",
        (
            "Cell In[4], line 3\n"
            "      1 x = scale(\x1b[32m1\x1b[39m)\n"
            '      2 import stageprobe; stageprobe.answer(\x1b[33m"query_key_value.scaling"\x1b[39m, scale)\n'
            "\x1b[32m----> 3\x1b[39m \x1b[38;5;28;01massert\x1b[39;00m scale(\x1b[32m9\x1b[39m) == \x1b[32m3\x1b[39m"
        ),
        "\x1b[31mAssertionError\x1b[39m: 9 has a root",
    ]
    failed = new_output("error", ename="AssertionError", evalue="9 has a root", traceback=quoted)
    (_, later) = hide(new_code_cell(SOURCE), new_code_cell("again()", outputs=[failed]))
    text = "\n".join(later.outputs[0].traceback)
    assert "stageprobe" not in text
    assert "assert" not in text
    assert 2 == text.count("# (hidden tests)")
    for kept in ("x = scale(", "9 has a root", "Cell In[4], line 3"):
        assert kept in text


def test_a_courses_own_delimiters_count() -> None:
    """nbgrader lets a course choose its delimiters, and hides by them in the release."""
    config = Config({"ClearHiddenTests": {"begin_test_delimeter": "VON", "end_test_delimeter": "BIS"}})
    (cell,) = hide(new_code_cell("# VON\nassert scale(9) == 3\n# BIS\n1"), config=config)
    assert "# (hidden tests)\n1" == cell.source
