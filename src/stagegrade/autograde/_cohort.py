"""Gathers one assignment's submissions for the cohort's report: records, points, names and pages."""

import os
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import case, func

from stagegrade.autograde._origins import seconds_by_student
from stagegrade.autograde._records import all_records
from stagegrade.autograde._settled import settled_by_hand, unreadable
from stagegrade.report import Cohort, Submission


def cohort(coursedir: CourseDirectory, assignment: str, page: Path) -> Cohort:
    """Every graded submission; feedback is found where nbgrader writes it, as seen from ``page``."""
    judged = all_records(coursedir, assignment)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        graded = _graded(gradebook, assignment)
        known: Any = gradebook.find_assignment(assignment)
        connection, key = gradebook.db.connection(), str(known.id)
        seconds = seconds_by_student(connection, key)
        settled = settled_by_hand(connection, key)
    return Cohort(
        assignment=assignment,
        submissions=tuple(
            Submission(
                student=student,
                record=own[0],
                unreadable=unreadable(student, own, settled),
                seconds=seconds.get(student),
                feedback=_feedback(coursedir, student, own[0], page),
                **graded.get(student, {"score": own[0]["score"], "max_score": own[0]["max_score"]}),
            )
            for student, own in sorted(judged.items())
        ),
    )


def _graded(gradebook: Gradebook, assignment: str) -> dict[str, dict[str, Any]]:
    """What the gradebook says of each student, in two queries: one for each would take minutes for a large class."""
    ask: Any = gradebook.db.query
    most = float(ask(Assignment.max_score).filter(Assignment.name == assignment).scalar() or 0.0)
    penalties = dict(
        ask(
            SubmittedNotebook.assignment_id,
            func.sum(func.coalesce(SubmittedNotebook.late_submission_penalty, 0.0)),
        )
        .group_by(SubmittedNotebook.assignment_id)
        .all()
    )
    rows = (
        ask(
            SubmittedAssignment.id,
            Student.id,
            Student.last_name,
            Student.first_name,
            func.sum(Grade.score),
            func.sum(case((Grade.needs_manual_grade, 1), else_=0)),
        )
        .select_from(SubmittedAssignment)
        .join(Student, Student.id == SubmittedAssignment.student_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .filter(Assignment.name == assignment)
        .group_by(SubmittedAssignment.id, Student.id, Student.last_name, Student.first_name)
    )
    return {
        student: {
            "name": ", ".join(part for part in (last, first) if part),
            "score": float(score or 0.0) - float(penalties.get(key) or 0.0),
            "max_score": most,
            "late_penalty": float(penalties.get(key) or 0.0),
            "waits": bool(waits),
        }
        for key, student, last, first, score, waits in rows
    }


def _feedback(coursedir: CourseDirectory, student: str, record: dict[str, Any], page: Path) -> str | None:
    folder = Path(coursedir.format_path(coursedir.feedback_directory, student, record["assignment"]))
    file = folder / f"{Path(record['notebook']).stem}.html"
    return Path(os.path.relpath(file, page.parent)).as_posix() if file.is_file() else None
