"""``stagegrade new``: a fresh course."""

import shutil
from pathlib import Path

from nbgrader.api import Gradebook
from traitlets import Unicode

from stagegrade.apps._app import StageApp
from stagegrade.apps._unusable import reason
from stagegrade.autograde import CONFIG_NAME, CannotBegin, begin_assignment, carried_source
from stagegrade.report.exports import ROSTER_COLUMNS

_CONFIG = '''"""The course's configuration, as nbgrader reads it. `nbgrader generate_config` lists every option."""

from stagegrade.autograde import configure

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = {course_id!r}

configure(c)
'''

_README = """# {course_id}

The week's commands, run in this folder:

    nbgrader generate_assignment query_key_value    source/ -> release/, and into the gradebook
    nbgrader release_assignment query_key_value     release/ -> the exchange
    nbgrader collect query_key_value                the exchange -> submitted/
    stagegrade autograde query_key_value            submitted/ -> autograded/, and into the gradebook
    jupyter lab                                     menu Nbgrader, Formgrader: look at it, comment
    nbgrader generate_feedback query_key_value      autograded/ -> feedback/
    stagegrade report query_key_value               the class on a page, which leads to each one's feedback
    nbgrader release_feedback query_key_value       feedback/ -> the exchange
    stagegrade export query_key_value --to canvas   the grades, for an LMS (names and ids: roster.csv)

Before an assignment is released, and after each change to it:

    stagegrade check query_key_value                it can be solved, gives nothing away, catches mistakes
    stagegrade new --assignment my_assignment       one of your own, to begin with

Notebooks handed in another way go to submitted/STUDENT/query_key_value/query_key_value.ipynb.
"""


class NewApp(StageApp):
    name = "stagegrade-new"
    description = (
        "Make a fresh course: assignments, configuration, empty gradebook, a roster to fill in; or, with "
        "--assignment and in a course, a new assignment of its own."
    )
    operands = "[DIR]"
    examples = """
        A course:

            stagegrade new my-course

        In the course, an assignment that can be released as it stands, for you to change:

            stagegrade new --assignment layer_norm
    """

    assignment = Unicode("", help="Begin an assignment of this name in the course here.").tag(config=True)
    aliases = {**StageApp.aliases, "assignment": "NewApp.assignment"}

    def start(self) -> None:
        super().start()
        given = self.extra_args
        if self.assignment:
            if given:
                self.refuse(f"--assignment begins one in the course here, and {given[0]} is not needed")
            self._begin_assignment()
        elif len(given) == 1:
            self._begin_course(given[0])
        else:
            self.refuse(f"usage: {self.command} DIR, or in a course: {self.command} --assignment NAME")

    def _begin_assignment(self) -> None:
        course = self.course()
        try:
            made = begin_assignment(Path(course.root), self.assignment)
        except CannotBegin as error:
            self.refuse(str(error))
        except OSError as error:
            self.refuse(". ".join(reason(error, course.db_url)))
        print(f"Made {' and '.join(str(path.relative_to(course.root)) for path in made)}.")
        print(
            f"Next: open the notebook, change both, and hold them against each other: "
            f"stagegrade check {self.assignment}"
        )

    def _begin_course(self, name: str) -> None:
        if not name.isprintable():
            self.refuse(f"{name!r} has characters that do not print. Choose another name.")
        root = Path(name)
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            self.refuse(f"{name} is already there, and nothing in it is overwritten. Choose another name.")
        try:
            root.mkdir(parents=True, exist_ok=True)
            _fill(root.resolve())
        except OSError as error:
            self.refuse(f"{name} cannot be made: {error}")
        print(f"Made {name} with {', '.join(sorted(p.name for p in (root / 'source').iterdir()))}.")
        print(f"Next: cd {name} && nbgrader generate_assignment query_key_value")


def _fill(root: Path) -> None:
    untidy = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
    shutil.copytree(carried_source(), root / "source", ignore=untidy)
    course_id = root.name
    (root / CONFIG_NAME).write_text(_CONFIG.format(course_id=course_id), encoding="utf-8")
    (root / "roster.csv").write_text(",".join(ROSTER_COLUMNS) + "\n", encoding="utf-8")
    (root / "README.md").write_text(_README.format(course_id=course_id), encoding="utf-8")
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", course_id):
        pass
