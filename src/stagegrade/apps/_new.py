"""``stagegrade new``: a fresh course."""

import shutil
from pathlib import Path

from nbgrader.api import Gradebook

from stagegrade.apps._app import StageApp
from stagegrade.autograde import CONFIG_NAME, carried_source

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
    nbgrader formgrader                             look at it, comment
    nbgrader generate_feedback query_key_value      autograded/ -> feedback/
    nbgrader release_feedback query_key_value       feedback/ -> the exchange
    nbgrader export                                 the gradebook as CSV

Notebooks handed in another way go to submitted/STUDENT/query_key_value/query_key_value.ipynb.
"""


class NewApp(StageApp):
    name = "stagegrade-new"
    description = "Make a fresh course: assignments, configuration, empty gradebook."
    operands = "DIR"
    examples = """
            stagegrade new my-course
    """

    def start(self) -> None:
        super().start()
        (name,) = self.arguments()
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
    (root / "README.md").write_text(_README.format(course_id=course_id), encoding="utf-8")
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", course_id):
        pass
