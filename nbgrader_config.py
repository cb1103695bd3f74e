"""The course's configuration. A course of your own needs no more than this."""

from stagegrade.autograde import configure

c = get_config()  # type: ignore[name-defined]  # noqa: F821

c.CourseDirectory.course_id = "attention"

configure(c)

# The sample cohort has loops that never end; nobody should wait half a minute for each.
c.Execute.timeout = 10
c.StageExecute.call_timeout = 2
