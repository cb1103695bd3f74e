"""The kernel's own shell, without a kernel: its messages go to the judge's side instead of to ZeroMQ."""

import asyncio
import builtins
import getpass
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, SimpleNamespace
from typing import Any

from ipykernel.compiler import XCachingCompiler
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.error import StdinNotImplementedError
from jupyter_client.session import Session
from traitlets.config import Config

from stageprobe._streams import CellStream

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


class Shell:
    """IPython as a Jupyter kernel sets it up. Made once in the warm process; each fork has a copy of its own."""

    def __init__(self) -> None:
        config = Config()
        # Nothing is to be remembered from one submission to another, and no thread to be lost in a fork.
        config.HistoryManager.enabled = False
        config.HistoryManager.hist_file = ":memory:"
        self._session = _MessageSession()
        self.ip = ZMQInteractiveShell.instance(
            config=config,
            compiler_class=XCachingCompiler,
            # What the shell looks for on its kernel when exit() is called.
            kernel=SimpleNamespace(eventloop=None),
        )
        for part in (self.ip.displayhook, self.ip.display_pub):
            part.session = self._session  # type: ignore[union-attr]
        self.ip.displayhook.topic = b"execute_result"  # type: ignore[attr-defined]
        self._pristine = dict(self.ip.user_ns)

    def warm(self) -> None:
        """Show one traceback and one warning into the void: the first of each imports much."""
        with _void():
            self.ip.run_cell("def _f():\n    raise ValueError\n_f()", store_history=False)
            self.ip.run_cell("'x'", store_history=False)
        self.ip.user_ns.clear()
        self.ip.user_ns.update(self._pristine)
        self.ip.execution_count = 1

    def publish_to(self, publish: Publish) -> None:
        """Where messages go from now on; standard output and error are taken over too."""
        self._session.publish = publish

        def stream(name: str, text: str) -> None:
            publish("stream", {"name": name, "text": text})

        sys.stdout = CellStream("stdout", 1, stream)
        sys.stderr = CellStream("stderr", 2, stream)

    async def run_cell(self, code: str, cell_id: str | None) -> dict[str, Any]:
        """Run one cell as an ipykernel does; returns the content of its execute reply."""
        ip = self.ip
        ip.set_parent({"header": {"msg_id": cell_id or "cell"}})
        with _no_input():
            try:
                transformed = ip.transform_cell(code)
                failed = None
            except Exception:  # noqa: BLE001 - an input transformer may be the student's own
                transformed, failed = code, sys.exc_info()
            if ip.should_run_async(code, transformed_cell=transformed, preprocessing_exc_tuple=failed):
                result = await self._run_async(code, transformed, failed, cell_id)
            else:
                with _interrupts():
                    result = ip.run_cell(code, store_history=True, cell_id=cell_id)
        sys.stdout.flush()
        sys.stderr.flush()
        ip.payload_manager.clear_payload()  # type: ignore[union-attr]
        reply: dict[str, Any] = {"status": "ok", "execution_count": ip.execution_count - 1}
        error = result.error_before_exec or result.error_in_exec
        if not result.success:
            traceback = getattr(ip, "_last_traceback", None) or []
            reply |= {
                "status": "error",
                "ename": type(error).__name__,
                "evalue": _text_of(error),
                "traceback": traceback,
            }
        return reply

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

        def cancel(signum: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(task.cancel)

        before = signal.signal(signal.SIGINT, cancel)
        result = None
        try:
            result = await task
        finally:
            signal.signal(signal.SIGINT, before)
            ip.events.trigger("post_execute")
            ip.events.trigger("post_run_cell", result)
        return result


@contextmanager
def _interrupts() -> Iterator[None]:
    """SIGINT raises ``KeyboardInterrupt`` here and is ignored elsewhere, so that no frame is cut short."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _no_input() -> Iterator[None]:
    """Nobody is there to answer: ``input`` and ``getpass`` raise what they raise in nbgrader."""

    def refuse(name: str) -> Callable[..., str]:
        def asked(*args: object, **kwargs: object) -> str:
            raise StdinNotImplementedError(
                f"{name} was called, but this frontend does not support input requests."
            )

        return asked

    before = builtins.input, getpass.getpass
    builtins.input, getpass.getpass = refuse("raw_input"), refuse("getpass")
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
