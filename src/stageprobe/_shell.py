"""The kernel's own shell, without a kernel: its messages go to the judge's side instead of to ZeroMQ."""

import asyncio
import builtins
import getpass
import inspect
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, MethodType, SimpleNamespace
from typing import Any

from ipykernel.kernelbase import Kernel
from ipykernel.zmqshell import ZMQInteractiveShell
from jupyter_client.session import Session
from traitlets.config import Config

from stageprobe._interrupts import on_interrupt
from stageprobe._looked import Looked
from stageprobe._quick import NamingCompiler, remember_styles, show_once
from stageprobe._streams import CellStream

MAX_NAME = 200
MAX_TEXT = 50_000
MAX_PARTS = 100
"""Of an error that is reported: an exception's text may be as long as its maker likes."""

_WARMING = (
    "def _f():\n    raise ValueError\n_f()",
    "'x'",
    # With a seed torch writes down for each kind of device from where it was set, and reads the files of all callers.
    "import torch\ntorch.manual_seed(0)",
)

Publish = Callable[[str, dict[str, Any]], None]
"""Called with a message's type and content, as on a kernel's iopub channel."""


class _MessageSession(Session):
    """Hands each message to ``publish`` in place of a socket."""

    publish: Publish | None = None

    def send(self, stream: Any, msg_or_type: Any, content: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(msg_or_type, str):
            kind, body = msg_or_type, content or {}
        else:
            kind, body = msg_or_type["header"]["msg_type"], msg_or_type["content"]
        if self.publish is not None:
            self.publish(kind, body)


class _Compiler(NamingCompiler):
    """Spares a traceback the search of every module there is for the one that a cell's file belongs to: none."""

    def cache(self, transformed_code: str, number: int = 0, raw_code: str | None = None) -> str:
        name: str = super().cache(transformed_code, number, raw_code)
        inspect.modulesbyfile[name] = ""
        return name


class Shell:
    """IPython as a Jupyter kernel sets it up. Made once in the warm process; each fork has a copy of its own."""

    def __init__(self) -> None:
        config = Config()
        # Nothing is to be remembered from one submission to another, and no thread to be lost in a fork.
        config.HistoryManager.enabled = False
        config.HistoryManager.hist_file = ":memory:"
        # What is asked of a kernel: by the shell when exit() is called, by input() whether anybody answers.
        self._kernel = SimpleNamespace(eventloop=None, _allow_stdin=False)
        self.session = _MessageSession()
        self.ip = ZMQInteractiveShell.instance(
            config=config,
            compiler_class=_Compiler,
            kernel=self._kernel,
        )
        for part in (self.ip.displayhook, self.ip.display_pub):
            part.session = self.session  # type: ignore[union-attr]
        self.ip.displayhook.topic = b"execute_result"  # type: ignore[attr-defined]
        shell: Any = self.ip
        show_once(shell.InteractiveTB)
        self._looked = Looked(shell)
        remember_styles()

    def warm(self) -> None:
        """Show one traceback and one result into the void: the first of each imports and reads much."""
        before = dict(self.ip.user_ns)
        with _void():
            asyncio.run(self._show(_WARMING))
        self.ip.reset()
        # What a reset takes away for good, such as the module's own docstring.
        self.ip.user_ns.update({name: before[name] for name in before.keys() - self.ip.user_ns.keys()})

    async def _show(self, cells: Sequence[str]) -> None:
        for code in cells:
            await self.run_cell(code, None, lambda: None, quiet=True)

    def publish_to(self, publish: Publish) -> None:
        """Where messages go from now on; standard output and error are taken over too."""
        self.session.publish = publish

        def stream(name: str, text: str) -> None:
            publish("stream", {"name": name, "text": text})

        sys.stdout = CellStream("stdout", 1, stream)
        sys.stderr = CellStream("stderr", 2, stream)

    async def run_cell(
        self, code: str, cell_id: str | None, begun: Callable[[], None], *, quiet: bool = False
    ) -> dict[str, Any]:
        """Run one cell as an ipykernel does; returns the content of its execute reply.

        ``begun`` is called when an interrupt would be heard. ``quiet``: it leaves no trace in the history.
        """
        ip = self.ip
        ip.set_parent({"header": {"msg_id": cell_id or "cell"}})
        with self._input_refused():
            try:
                with on_interrupt(signal.default_int_handler):
                    begun()
                    result = await self._run(code, cell_id, store_history=not quiet)
                error = result.error_before_exec or result.error_in_exec
                # A result that could not be shown is a failure too, though of no error that the cell raised.
                fine = result.success and not getattr(ip, "_last_traceback_during_displayhook", False)
            except KeyboardInterrupt as interrupt:
                # It met the shell's own work around the cell.
                error, fine = interrupt, False
        sys.stdout.flush()
        sys.stderr.flush()
        ip.payload_manager.clear_payload()  # type: ignore[union-attr]
        reply: dict[str, Any] = {"status": "ok", "execution_count": ip.execution_count - 1}
        if not fine:
            traceback = getattr(ip, "_last_traceback", None) or []
            reply |= {
                "status": "error",
                "ename": type(error).__name__[:MAX_NAME],
                "evalue": _text_of(error)[:MAX_TEXT],
                "traceback": [str(part)[:MAX_TEXT] for part in traceback[:MAX_PARTS]],
            }
        return reply

    async def _run(self, code: str, cell_id: str | None, *, store_history: bool) -> Any:
        ip = self.ip
        try:
            transformed, failed = self._looked.transformed(code), None
        except Exception:  # noqa: BLE001 - an input transformer may be the student's own
            transformed, failed = code, sys.exc_info()
        if self._looked.awaits(code, transformed, failed):
            return await self._run_async(code, transformed, failed, cell_id)
        return ip.run_cell(code, store_history=store_history, cell_id=cell_id)

    async def _run_async(self, code: str, transformed: str, failed: Any, cell_id: str | None) -> Any:
        ip = self.ip
        task = asyncio.ensure_future(
            ip.run_cell_async(
                code,
                store_history=True,
                transformed_cell=transformed,
                preprocessing_exc_tuple=failed,
                cell_id=cell_id,
            )
        )
        loop = asyncio.get_running_loop()

        def interrupt(signum: int, frame: FrameType | None) -> None:
            if asyncio.current_task(loop) is task:
                # It computes, and would not come to an await to be cancelled at.
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(task.cancel)

        result = None
        try:
            with on_interrupt(interrupt):
                result = await task
        finally:
            ip.events.trigger("post_execute")
            ip.events.trigger("post_run_cell", result)
        return result

    @contextmanager
    def _input_refused(self) -> Iterator[None]:
        """Nobody is there to answer: ``input`` and ``getpass`` are a kernel's own, which raise."""
        before = builtins.input, getpass.getpass
        builtins.input = MethodType(Kernel.raw_input, self._kernel)
        getpass.getpass = MethodType(Kernel.getpass, self._kernel)
        try:
            yield
        finally:
            builtins.input, getpass.getpass = before


@contextmanager
def _void() -> Iterator[None]:
    before = sys.stdout, sys.stderr
    with open("/dev/null", "w") as void:
        sys.stdout = sys.stderr = void
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


def _text_of(error: BaseException | None) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a student's exception class may do anything
        return ""
