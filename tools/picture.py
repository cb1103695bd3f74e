"""Draws the picture in README.md: the table of some of the sample students, from the grades in autograded/."""

import io
import re
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from stagegrade.autograde import records
from stagegrade.report import LEGEND, cohort_table

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/img/cohort.svg"
ASSIGNMENT = "query_key_value"
SHOWN = (
    "divides-by-d_k",
    "ends-its-process",
    "ignores-interruption",
    "keys-two",
    "nothing-done",
    "out-of-memory",
    "query-two",
    "right-with-helpers",
    "sigmoid",
    "two-mistakes",
)
WIDTH = 128


def picture() -> str:
    """The table as SVG, with nothing in it that a browser would have to fetch."""
    coursedir = CourseDirectory(root=str(ROOT))
    graded = records(coursedir, ASSIGNMENT)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False)
    console.print(cohort_table(ASSIGNMENT, {student: graded[student] for student in SHOWN}))
    console.print(Text(LEGEND, style="dim"))
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    return console.export_svg(title=f"stagegrade autograde {ASSIGNMENT}", code_format=without_fonts)


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
