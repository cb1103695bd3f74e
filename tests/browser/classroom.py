"""A class to look at: a few students, each wrong in a way of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook

from tests import notebooks
from tests.commands import environment, run

STAGED = "query_key_value"

HOSTILE = """\
from IPython.display import HTML, Javascript, Markdown, display
display(HTML("<script>window.stolen = 1</script><img src=x onerror='window.stolen = 2'><b>bold</b>"))
display(Javascript("window.stolen = 3"))
display(Markdown("<script>window.stolen = 4</script> some *text*"))
"""

# What differs from the source's own solutions.
STUDENTS: Mapping[str, Mapping[str, str]] = {
    "right": {},
    "third-key": {
        "solution-key_index": "def second_score(query, keys):\n    return torch.dot(query, keys[2])\n"
    },
    "divides-by-d_k": {"solution-scaling": "def scale(scores, keys):\n    return scores / keys.shape[-1]\n"},
    "no-exponential": {
        "solution-softmax": "def attention_weights(scaled):\n    return scaled / scaled.sum()\n"
    },
    "two-errors": {
        "solution-key_index": "def second_score(query, keys):\n    return torch.dot(query, keys[2])\n",
        "solution-context": "def context_vector(weights, values):\n    return values.mean(0)\n",
    },
    "raises": {"solution-scores": "def score_all(query, keys):\n    return query @ keys\n"},
    "hostile": {"solution-scaling": f"{HOSTILE}\ndef scale(scores, keys):\n    return scores\n"},
}


@dataclass(frozen=True)
class Classroom:
    root: Path

    @property
    def course(self) -> Path:
        return self.root / "attention"

    @property
    def env(self) -> Mapping[str, str]:
        return environment(self.root / "home")

    def feedback(self, student: str) -> str:
        """The address of a student's page."""
        return (self.course / f"feedback/{student}/{STAGED}/{STAGED}.html").as_uri()

    def run(self, *command: str | Path) -> str:
        return run(*command, cwd=self.course, env=self.env).stdout


def graded_class(root: Path) -> Classroom:
    made = Classroom(root)
    run("stagegrade", "new", made.course, cwd=root, env=made.env)
    made.run("nbgrader", "generate_assignment", STAGED)
    for student, cells in STUDENTS.items():
        hand_in(made.course, student, cells)
    made.run("stagegrade", "autograde", STAGED)
    _comment(made.course)
    made.run("nbgrader", "generate_feedback", STAGED)
    return made


def hand_in(course: Path, student: str, cells: Mapping[str, str]) -> None:
    notebooks.write(course / f"submitted/{student}/{STAGED}/{STAGED}.ipynb", solved(course, cells))


def solved(course: Path, cells: Mapping[str, str]) -> dict:
    """The release with the source's solutions, but for ``cells``; what the hostile student writes is in it too."""
    right = notebooks.solutions(course / f"source/{STAGED}/{STAGED}.ipynb")
    made = notebooks.filled(course / f"release/{STAGED}/{STAGED}.ipynb", right | dict(cells))
    if any("stolen" in code for code in cells.values()):
        made["cells"].append(notebooks.text_cell("<script>window.stolen = 5</script> *mine*", "mine"))
    return made


def _comment(course: Path) -> None:
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        comment = gradebook.find_comment("solution-key_index", STAGED, STAGED, "two-errors")
        comment.manual_comment = "Count the keys **aloud**, from zero."  # type: ignore[assignment]
        gradebook.db.commit()
