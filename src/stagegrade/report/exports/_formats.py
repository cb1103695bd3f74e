"""The formats that grades can be exported to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stagegrade.report.exports._blackboard import blackboard
from stagegrade.report.exports._brightspace import brightspace
from stagegrade.report.exports._canvas import canvas
from stagegrade.report.exports._grade import Grade
from stagegrade.report.exports._gradescope import gradescope
from stagegrade.report.exports._moodle import moodle
from stagegrade.report.exports._plain import plain
from stagegrade.report.exports._stages import parquet, stages


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format, as a whole file of all grades or (``each``) a file for each submission."""

    name: str
    suffix: str
    render: Callable[[Sequence[Grade], str], bytes] | None = None
    """All grades as one file, with what to write where there is no submission."""
    each: Callable[[Grade], bytes] | None = None
    identities: tuple[str, ...] = ()
    """The fields of ``Student`` that the system finds a student by; one is enough. None where it looks for nobody."""
    missing: tuple[str, ...] = ("",)
    """What may be written where there is no submission."""
    is_text: bool = True


FORMATS: Mapping[str, Format] = {
    made.name: made
    for made in (
        Format(
            name="canvas",
            suffix=".csv",
            render=canvas,
            identities=("lms_user_id", "id_number", "username"),
            missing=("", "0", "EX"),
        ),
        Format(
            name="moodle",
            suffix=".csv",
            render=moodle,
            identities=("id_number", "username", "email"),
            missing=("", "0"),
        ),
        Format(
            name="blackboard",
            suffix=".csv",
            render=blackboard,
            identities=("username",),
            missing=("", "0"),
        ),
        Format(
            name="brightspace",
            suffix=".csv",
            render=brightspace,
            identities=("id_number", "username"),
            missing=("", "0"),
        ),
        Format(name="gradescope", suffix=".json", each=gradescope),
        Format(name="csv", suffix=".csv", render=plain, missing=("", "0")),
        Format(name="stages", suffix=".csv", render=stages),
        Format(name="parquet", suffix=".parquet", render=parquet, is_text=False),
    )
}
