"""What a piece of code calls, makes and names while it runs."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode

MAX_CALLED = 200
MAX_TENSORS = 512
MAX_ENTRIES = 1 << 14
MAX_ELEMENTS = 1 << 16
MAX_BYTES = 8 << 20
MAX_NAMED = 64
MAX_RETURNS = 256
"""How many returns of functions are looked at: a helper may be called for each pair of rows."""
MAX_LISTED = 4096


class Calls(TorchFunctionMode):
    """Records the names of the torch functions that are called while it is entered, and of the modules that run."""

    def __init__(self) -> None:
        super().__init__()
        self.called: dict[str, None] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.note(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))

    def __enter__(self) -> "Calls":
        self._hook = register_module_forward_pre_hook(lambda module, given: self.note(type(module).__name__))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)  # type: ignore[no-untyped-call]
        self._hook.remove()

    def note(self, name: object) -> None:
        if isinstance(name, str) and len(self.called) < MAX_CALLED:
            self.called[name[:100]] = None


class Watch(Calls):
    """Records besides a copy of each tensor that torch functions take and give.

    What functions take is recorded too: a buffer that is filled entry by entry is whole only when it is used.
    ``made`` is in the order of first appearance, each content once; numbers that stand alone are in ``entries``.
    ``named`` has what the variables of functions with the globals ``of`` held when they returned.
    """

    def __init__(self, of: object = None) -> None:
        super().__init__()
        self.made: list[Tensor] = []
        self.entries: dict[float, None] = {}
        self.named: list[tuple[str, Tensor]] = []
        self._of = of
        self._seen: set[tuple[Any, ...]] = set()
        self._bytes = 0
        self._returns = 0
        self._recording = False

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if self._recording:
            return func(*args, **kwargs)
        self.note(getattr(func, "__name__", ""))
        self._record((args, kwargs))
        result = func(*args, **kwargs)
        self._record(result)
        return result

    def __enter__(self) -> "Watch":
        super().__enter__()
        self._before = sys.getprofile()
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *exception: Any) -> None:
        sys.setprofile(self._before)
        super().__exit__(*exception)

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "return" or self._of is None or frame.f_globals is not self._of:
            return
        self._returns += 1
        if self._returns > MAX_RETURNS or self._recording:
            return
        with self._own():
            for name, value in list(frame.f_locals.items()):
                self._name(name, value)

    @contextmanager
    def _own(self) -> Iterator[None]:
        """Copying and hashing are torch functions themselves, and no doing of the code that is watched."""
        self._recording = True
        try:
            yield
        finally:
            self._recording = False

    def _record(self, found: object) -> None:
        with self._own():
            for tensor in _tensors(found, 0):
                kept = self._kept(tensor)
                if kept is None:
                    continue
                if kept.dim() == 0:
                    if len(self.entries) < MAX_ENTRIES:
                        self.entries[float(kept)] = None
                elif len(self.made) < MAX_TENSORS and self._is_new(kept):
                    self.made.append(kept)

    def _name(self, name: str, value: object) -> None:
        tensor = _as_tensor(value)
        kept = None if tensor is None else self._kept(tensor)
        if kept is not None and kept.dim() and len(self.named) < MAX_NAMED and self._is_new(kept, name):
            self.named.append((name[:100], kept))

    def _kept(self, tensor: Tensor) -> Tensor | None:
        """A copy within bounds; ``None`` for what is no tensor of real numbers."""
        if self._bytes > MAX_BYTES or not 0 < tensor.numel() <= MAX_ELEMENTS:
            return None
        if tensor.is_complex() or tensor.dtype == torch.bool or tensor.layout != torch.strided:
            return None
        try:
            return tensor.detach().clone()
        except (RuntimeError, NotImplementedError):
            # Within vmap, say, a tensor has no content of its own; the code being watched must not fail for it.
            return None

    def _is_new(self, copy: Tensor, name: str = "") -> bool:
        try:
            content = (name, copy.dtype, tuple(copy.shape), copy.to(torch.float64).numpy().tobytes())
        except (RuntimeError, NotImplementedError):
            return False
        if content in self._seen:
            return False
        self._seen.add(content)
        self._bytes += copy.numel() * copy.element_size()
        return True


def watched(kind: object) -> Watch:
    """A watch on what the functions of the notebook that ``kind`` is from make."""
    forward = getattr(kind, "forward", None)
    return Watch(getattr(forward, "__globals__", None))


def seen(watch: Watch) -> Mapping[str, object]:
    """What was recorded, as it goes to the judge."""
    return {
        "made": tuple(watch.made),
        "entries": torch.tensor(list(watch.entries), dtype=torch.float64),
        "named": tuple(watch.named),
    }


def noticing(run: Callable[[], Any]) -> tuple[Any, tuple[str, ...]]:
    """What ``run`` gives, and the names of what it called."""
    calls = Calls()
    with calls:
        result = run()
    return result, tuple(calls.called)


def _as_tensor(value: object) -> Tensor | None:
    """A tensor, an array, or a list of numbers or of equal rows, as a tensor."""
    if isinstance(value, Tensor):
        return value
    try:
        if type(value) is np.ndarray and value.dtype.kind in "fi":
            return torch.from_numpy(value)
        if type(value) is list and 0 < len(value) <= MAX_LISTED:
            if all(isinstance(item, Tensor) for item in value):
                return torch.stack(value)
            if all(type(item) is np.ndarray for item in value):
                return torch.from_numpy(np.stack(value))
            if _is_numbers(value):
                return torch.tensor(value, dtype=torch.float64)
    except (RuntimeError, ValueError, TypeError):
        return None
    return None


def _is_numbers(value: list[Any]) -> bool:
    rows = value if type(value[0]) is list else [value]
    return all(
        type(row) is list and len(row) <= MAX_LISTED and all(isinstance(x, (float, np.floating)) for x in row)
        for row in rows
    )


def _tensors(found: object, depth: int) -> Iterator[Tensor]:
    if isinstance(found, Tensor):
        yield found
    elif depth < 4 and isinstance(found, (tuple, list)):
        for item in found:
            yield from _tensors(item, depth + 1)
    elif depth < 4 and isinstance(found, dict):
        yield from _tensors(tuple(found.values()), depth + 1)
