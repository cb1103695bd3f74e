"""``answer``: the one line of a hidden test."""

import sys

from stageprobe._desk import Desk
from stageprobe._wire import PeerGone

_desk: Desk | None = None


def sit_at(desk: Desk | None) -> None:
    """Say which desk ``answer`` speaks from in this process; from ``None`` on, one of its own."""
    global _desk  # noqa: PLW0603 - one process has one line to its judge
    _desk = desk


def answer(stage: str, handed: object) -> None:
    """Hand over what computes ``stage``, such as ``answer("query_key_value.scaling", scale)``.

    ``handed`` is the student's function, or the class where a stage is inside its ``forward``. While a notebook
    is graded the judge asks it for the worked example and for cases drawn at random, and the verdict goes
    into the grade cell's record. In a notebook that an instructor runs by hand a judge is started beside
    the kernel, and the verdict is shown under the cell.

    Raises ``TimeoutError`` after a call that had to be interrupted, and ``RuntimeError`` where no judge can be
    started because the package ``stagegrade`` is not installed, or where the judge has ended.
    """
    desk = _desk
    if desk is None:
        from stageprobe._local import local_desk

        desk = local_desk()
        sit_at(desk)
    try:
        closing = desk.answer(stage, handed)
    except PeerGone as gone:
        sit_at(None)
        raise RuntimeError("The judge has ended. Run the cell again: that starts another.") from gone
    stopped = closing.get("stopped")
    if isinstance(stopped, str):
        # What follows in the cell would call it again, and wait for the whole of the cell's time.
        raise TimeoutError(stopped)
    panel = closing.get("panel")
    if isinstance(panel, dict):
        _show(panel)


def _show(panel: dict[str, str]) -> None:
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    if get_ipython() is None:
        sys.stdout.write(f"{panel['text/plain']}\n")
    else:
        display(panel, raw=True)
