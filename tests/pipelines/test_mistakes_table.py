"""docs/mistakes.md says what the catalogue says."""

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "mistakes_table.py"


def tool():
    spec = importlib.util.spec_from_file_location("mistakes_table", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date():
    """Instructors would read about mistakes that have been changed; run make mistakes."""
    made = tool()
    assert made.page() == made.PAGE.read_text(encoding="utf-8")


def test_every_row_has_five_cells():
    """A sign in a text would break the table from there on."""
    rows = [line for line in tool().page().splitlines() if line.startswith("| `")]
    assert len(rows) >= 90
    assert {6} == {row.replace("\\|", "").count("|") for row in rows}
