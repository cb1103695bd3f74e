"""An assignment with nothing of stagegrade in it: every kind of graded cell that nbgrader has."""

from tests.notebooks import code_cell, notebook, text_cell

_STUB = "### BEGIN SOLUTION\n{}\n### END SOLUTION\n"

PLAIN = notebook(
    text_cell("# Plain", "title", locked=True),
    code_cell(_STUB.format("def square(x):\n    return x * x"), "solution-square", solution=True),
    code_cell(
        "assert square(2) == 4\n### BEGIN HIDDEN TESTS\nassert square(-3) == 9\n### END HIDDEN TESTS\n",
        "test-square",
        grade=True,
        locked=True,
        points=2,
    ),
    code_cell(_STUB.format("def three():\n    return [1, 2, 3]"), "solution-three", solution=True),
    # Partial credit: the value that the cell shows.
    code_cell(
        "sum(1.0 for wanted, got in zip([1, 2, 3], three()) if wanted == got)\n",
        "test-three",
        grade=True,
        locked=True,
        points=3,
    ),
    code_cell("three()[0] == 1", "test-shows-a-boolean", grade=True, locked=True, points=1),
    code_cell(_STUB.format("print('drawn')"), "solution-by-hand", grade=True, solution=True, points=2),
    text_cell("An essay.", "essay", grade=True, solution=True, points=2),
    text_cell("Do the task anywhere below.\n", "task", task=True, locked=True, points=2),
)

_RIGHT = {
    "solution-square": "def square(x):\n    return x * x\n",
    "solution-three": "def three():\n    return [1, 2, 3]\n",
    "solution-by-hand": "print('a drawing')\n",
    "essay": "Squares grow.",
}

PLAIN_STUDENTS: dict[str, dict[str, str]] = {
    "plain-right": _RIGHT,
    # One of three values, a hidden test that fails, and the essay left as it was.
    "plain-half": {
        "solution-square": "def square(x):\n    return x + x\n",
        "solution-three": "def three():\n    return [1, 0, 0]\n",
        "solution-by-hand": "print('a sketch')\n",
    },
    # Right, but with a warning on stderr, which is no points in stock nbgrader.
    "plain-warns": _RIGHT
    | {
        "solution-square": "import sys\n\n\ndef square(x):\n    print('hm', file=sys.stderr)\n    return x * x\n"
    },
    "plain-nothing": {},
}
