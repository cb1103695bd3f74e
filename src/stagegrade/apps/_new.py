"""``stagegrade new``: a fresh course."""

import shutil
from pathlib import Path

from nbgrader.api import Gradebook

from stagegrade.apps._app import StageApp
from stagegrade.autograde import CONFIG_NAME, carried_source

_CONFIG = '''"""The course's configuration, as nbgrader reads it. `nbgrader generate_config` lists every option."""

from stagegrade.autograde import configure

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "{course_id}"

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
    examples = """
            stagegrade new my-course
    """

    def start(self) -> None:
        super().start()
        (name,) = self.arguments("DIR")
        root = Path(name)
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            self.refuse(f"{name} is already there, and nothing in it is overwritten. Choose another name.")
        root.mkdir(parents=True, exist_ok=True)
        shutil.copytree(
            carried_source(),
            root / "source",
            ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"),
        )
        course_id = root.resolve().name
        (root / CONFIG_NAME).write_text(_CONFIG.format(course_id=course_id.replace('"', "")))
        (root / "README.md").write_text(_README.format(course_id=course_id))
        with Gradebook(f"sqlite:///{root.resolve() / 'gradebook.db'}", course_id):
            pass
        print(f"Made {name} with {', '.join(sorted(p.name for p in (root / 'source').iterdir()))}.")
        print(f"Next: cd {name} && nbgrader generate_assignment query_key_value")
