"""Which tensors a piece of code makes and uses."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

MAX_TENSORS = 512
MAX_ELEMENTS = 1 << 16
MAX_BYTES = 8 << 20


class Watch(TorchFunctionMode):
    """Records a copy of each tensor that torch functions take and give while it is entered.

    What functions take is recorded too: a buffer that is filled entry by entry is whole only when it is used.
    ``made`` is in the order of first appearance, each content once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.made: list[Tensor] = []
        self._seen: set[tuple[Any, ...]] = set()
        self._bytes = 0
        self._recording = False

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if self._recording:
            return func(*args, **kwargs)
        self._record((args, kwargs))
        result = func(*args, **kwargs)
        self._record(result)
        return result

    def _record(self, found: object) -> None:
        # Copying and hashing below are torch functions themselves.
        self._recording = True
        try:
            for tensor in _tensors(found, 0):
                self._keep(tensor)
        finally:
            self._recording = False

    def _keep(self, tensor: Tensor) -> None:
        if len(self.made) >= MAX_TENSORS or self._bytes > MAX_BYTES:
            return
        if not 0 < tensor.numel() <= MAX_ELEMENTS:
            return
        if not tensor.is_floating_point() or tensor.layout != torch.strided:
            return
        try:
            copy = tensor.detach().clone()
            content = (copy.dtype, tuple(copy.shape), copy.to(torch.float64).numpy().tobytes())
        except (RuntimeError, NotImplementedError):
            # Within vmap, say, a tensor has no content of its own; the code being watched must not fail for it.
            return
        if content not in self._seen:
            self._seen.add(content)
            self.made.append(copy)
            self._bytes += copy.numel() * copy.element_size()


def _tensors(found: object, depth: int) -> Iterator[Tensor]:
    if isinstance(found, Tensor):
        yield found
    elif depth < 4 and isinstance(found, (tuple, list)):
        for item in found:
            yield from _tensors(item, depth + 1)
    elif depth < 4 and isinstance(found, dict):
        yield from _tensors(tuple(found.values()), depth + 1)
