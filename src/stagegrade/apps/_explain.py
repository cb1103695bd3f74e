"""``stagegrade explain``: the verdict of a graded submission, in words."""

import glob

from nbgrader.coursedir import CourseDirectory

from stagegrade.apps._app import COURSE_ALIASES, StageApp
from stagegrade.autograde import records, submitters
from stagegrade.report import explanation


class ExplainApp(StageApp):
    name = "stagegrade-explain"
    description = "Say what was decided about a graded submission, and what shows it."
    operands = "ASSIGNMENT STUDENT [STAGE]"
    examples = """
        Every stage of a student's submission, and where to look first:

            stagegrade explain query_key_value STUDENT

        One stage alone:

            stagegrade explain query_key_value STUDENT key_index
    """

    aliases = {**StageApp.aliases, **COURSE_ALIASES}

    def start(self) -> None:
        super().start()
        assignment, student, *stage = self.arguments()
        course = self.course()
        found = records(course, assignment, glob.escape(student))
        if student not in found:
            self._refuse_absent(course, assignment, student)
        try:
            print(explanation(found[student], stage[0] if stage else None))
        except KeyError:
            names = ", ".join(row["stage"] for row in found[student]["stages"])
            self.refuse(f"{assignment} has no stage {stage[0]}; its stages are {names}")

    def _refuse_absent(self, course: CourseDirectory, assignment: str, student: str) -> None:
        self.require_assignment(course, assignment)
        if submitters(course, assignment, glob.escape(student)):
            self.refuse(
                f"{student}'s {assignment} is not graded yet: "
                f"stagegrade autograde {assignment} --student '{student}'"
            )
        graded = sorted(records(course, assignment))
        shown = ", ".join(graded[:20]) + (", …" if len(graded) > 20 else "")
        self.refuse(f"{student!r} handed in no {assignment}; graded so far: {shown or 'nobody'}")
