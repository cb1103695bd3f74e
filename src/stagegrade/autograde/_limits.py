"""What a submission may use, as a course's configuration says it, and how reaching a bound is told."""

import re
from typing import TYPE_CHECKING

from traitlets import Float, Integer
from traitlets.config import Configurable

from stagegrade.jail import Ended, Limits

if TYPE_CHECKING:
    from stagegrade.diagnosis import Verdict


class SubmissionLimits(Configurable):
    """Bounds on the run of one submitted notebook, for all its processes together where nothing else is said."""

    cpu_seconds = Float(300, min=1, help="Processor time.").tag(config=True)
    notebook_seconds = Float(
        900, min=1, help="Time from the first cell to the last. A single cell's is Execute.timeout."
    ).tag(config=True)
    memory_megabytes = Integer(
        2048, min=64, help="Resident memory, beyond that of Python and torch themselves."
    ).tag(config=True)
    processes = Integer(64, min=4, help="Processes and threads at a time.").tag(config=True)
    open_files = Integer(256, min=32, help="Files that one process may have open.").tag(config=True)
    file_megabytes = Integer(64, min=1, help="Size of one file.").tag(config=True)
    scratch_megabytes = Integer(
        256, min=1, help="All files, the copies of those that were handed in with the notebook among them."
    ).tag(config=True)
    cell_output_kilobytes = Integer(
        4096, min=1, help="Output that is kept of one cell; one that prints 16 times as much is stopped."
    ).tag(config=True)
    notebook_output_kilobytes = Integer(16384, min=1, help="Output that is kept of all cells.").tag(
        config=True
    )
    answer_megabytes = Integer(
        32, min=1, max=32, help="What a function under test may return to one of the judge's questions."
    ).tag(config=True)

    def limits(self) -> Limits:
        return Limits(
            cpu_seconds=self.cpu_seconds,
            notebook_seconds=self.notebook_seconds,
            memory_bytes=self.memory_megabytes << 20,
            processes=self.processes,
            open_files=self.open_files,
            file_bytes=self.file_megabytes << 20,
            scratch_bytes=self.scratch_megabytes << 20,
            cell_output_bytes=self.cell_output_kilobytes << 10,
            notebook_output_bytes=self.notebook_output_kilobytes << 10,
            answer_bytes=self.answer_megabytes << 20,
        )


def verdict_of(ended: Ended) -> "Verdict":
    """The verdict for a stage whose run ended in this way."""
    from stagegrade.diagnosis import Verdict

    match ended:
        case Ended.OUT_OF_MEMORY:
            return Verdict.OUT_OF_MEMORY
        case Ended.TIMED_OUT | Ended.KILLED | Ended.OUT_OF_CPU | Ended.OUT_OF_TIME:
            return Verdict.TIMED_OUT
        case _:
            return Verdict.LOST


def told(ended: Ended, limits: Limits) -> str:
    """What the code of a cell did to be ended so, after "it" or "cell 3"."""
    match ended:
        case Ended.TIMED_OUT:
            return "ran past its time and was interrupted"
        case Ended.FLOODED:
            return f"printed more than {_size(16 * limits.cell_output_bytes)} and was interrupted"
        case Ended.KILLED:
            return "ran past its time, would not be interrupted, and was ended"
        case Ended.OUT_OF_MEMORY:
            return f"needed more than the {_size(limits.memory_bytes)} of memory that a notebook may use"
        case Ended.OUT_OF_CPU:
            return f"used up the {limits.cpu_seconds:g} s of processor time that a notebook may use"
        case Ended.OUT_OF_TIME:
            return f"ran when the {limits.notebook_seconds:g} s that a notebook may take were over"
        case Ended.TOO_MANY_PROCESSES:
            return f"started more than the {limits.processes} processes and threads that a notebook may have"
        case Ended.SCRATCH_FULL:
            return f"wrote more than the {_size(limits.scratch_bytes)} of files that a notebook may keep"
        case _:
            return "ended the notebook's process"


_ERRNO = re.compile(r"\[Errno (\d+)\]")


def bound_met(error: str, message: str, limits: Limits) -> str | None:
    """The bound that an error in the student's code comes from, in a sentence; ``None`` for any other error."""
    number = _ERRNO.search(message)
    match number[1] if number else "":
        case "11":
            return f"A notebook may have {limits.processes} processes and threads at a time."
        case "24":
            return f"A process may have {limits.open_files} files open at a time."
        case "27":
            return f"A file may have {_size(limits.file_bytes)}."
        case "28":
            return f"A notebook may keep {_size(limits.scratch_bytes)} of files."
    if error == "MemoryError" or "can't allocate memory" in message:
        return f"A notebook may use {_size(limits.memory_bytes)} of memory."
    if "can't start new thread" in message:
        return f"A notebook may have {limits.processes} processes and threads at a time."
    return None


def _size(count: int) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
