"""``stagegrade explain``: the verdict of a graded submission, in words."""

from stagegrade.apps._app import StageApp, needs_course
from stagegrade.autograde import records
from stagegrade.report import explanation


class ExplainApp(StageApp):
    name = "stagegrade-explain"
    description = "Say what was decided about a graded submission, and what shows it."
    examples = """
        Every stage of a student's submission, and where to look first:

            stagegrade explain query_key_value keys-two

        One stage alone:

            stagegrade explain query_key_value keys-two key_index
    """

    def start(self) -> None:
        super().start()
        assignment, student, *stage = self.arguments("ASSIGNMENT", "STUDENT", "STAGE", optional=1)
        course = needs_course(self)
        found = records(course, assignment, student)
        if student not in found:
            graded = ", ".join(sorted(records(course, assignment))[:20]) or "nobody"
            self.refuse(f"{student} has no graded {assignment}; graded so far: {graded}")
        try:
            print(explanation(found[student], stage[0] if stage else None))
        except KeyError:
            names = ", ".join(row["stage"] for row in found[student]["stages"])
            self.refuse(f"{assignment} has no stage {stage[0]}; its stages are {names}")
