"""Grades from the gradebook, with who is missing from the roster and what the judge recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from stagegrade.autograde._records import all_records, submitters
from stagegrade.autograde._settled import settled_by_hand, unreadable
from stagegrade.report.exports import Grade, Student, Submitted


def grades(
    coursedir: CourseDirectory,
    gradebook: Gradebook,
    assignments: Sequence[str],
    *,
    roster: Mapping[str, Student],
    items: Mapping[str, str],
) -> list[Grade]:
    """Every student's grade for each assignment, those without a submission too.

    ``items`` gives what an assignment is called in the LMS, where that is not its name. Raises nbgrader's
    ``MissingEntry`` for an assignment that the gradebook does not have.
    """
    students = _students(gradebook, roster)
    wanted = [name for name in sorted(students) if fnmatchcase(name, coursedir.student_id)]
    connection = gradebook.db.connection()
    made = []
    for assignment in assignments:
        found: Any = gradebook.find_assignment(assignment)
        handed_in = {submission.student_id: submission for submission in found.submissions}
        collected = set(submitters(coursedir, assignment, coursedir.student_id))
        recorded = all_records(coursedir, assignment, coursedir.student_id)
        settled = settled_by_hand(connection, str(found.id))
        for name in wanted:
            own = recorded.get(name, [])
            submission = handed_in.get(name)
            grade = Grade(
                assignment=assignment,
                item=items.get(assignment, assignment),
                student=students[name],
                submitted=Submitted.MISSING,
                score=None,
                max_score=float(found.max_score),
                due=found.duedate,
                record=own[0] if own else None,
                unreadable=unreadable(name, own, settled),
            )
            made.append(_with_submission(grade, submission, name in collected, coursedir))
    return made


def _with_submission(grade: Grade, submission: Any, collected: bool, coursedir: CourseDirectory) -> Grade:
    step = coursedir.autograded_directory
    graded = Path(coursedir.format_path(step, grade.student.id, grade.assignment)).is_dir()
    if submission is None or (collected and not graded):
        # What grading did not come to is no absence of the student's.
        return replace(grade, submitted=Submitted.UNGRADED) if collected else grade
    late = timedelta(seconds=float(submission.total_seconds_late))
    state = Submitted.LATE if late else Submitted.ON_TIME
    if grade.unreadable:
        state = Submitted.UNREADABLE
    penalty = float(submission.late_submission_penalty or 0.0)
    raw = float(submission.score)
    return replace(
        grade,
        submitted=Submitted.IN_REVIEW if submission.needs_manual_grade else state,
        score=max(0.0, raw - penalty),
        raw_score=raw,
        penalty=penalty,
        due=submission.duedate,
        handed_in=submission.timestamp,
        late_by=late,
    )


def _students(gradebook: Gradebook, roster: Mapping[str, Student]) -> dict[str, Student]:
    """The gradebook's students and the roster's; a name stands as in the gradebook where it has one."""
    found = dict(roster)
    known: Any
    for known in gradebook.students:
        listed = roster.get(known.id)
        # Whoever is in no roster is most likely known to the LMS by the name that they hand in under.
        own = listed or Student(id=known.id, username=known.id)
        found[known.id] = replace(
            own,
            last_name=known.last_name or own.last_name,
            first_name=known.first_name or own.first_name,
            email=known.email or own.email,
            lms_user_id=own.lms_user_id or known.lms_user_id or "",
        )
    return found
