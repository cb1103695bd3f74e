"""Values as JSON and raw tensor buffers, and back, with bounds on every size."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stageprobe._wire import WireError

MAX_DEPTH = 6
MAX_ITEMS = 2048
MAX_TEXT = 4096
MAX_TEXT_TOGETHER = 1 << 15
MAX_NAME = 200
MAX_NAMES = 16
MAX_DIMENSIONS = 8
MAX_TENSOR_BYTES = 32 << 20
"""Of one tensor, and of all tensors of a value together."""

_DTYPES = {
    name: getattr(torch, name)
    for name in (
        "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
        "uint8", "int8", "int16", "int32", "int64", "bool",
    )
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


@dataclass(frozen=True)
class Unsendable:
    """Stands in a decoded value for an object that is no value of a stage; ``type_name`` says what it was."""

    type_name: str


@dataclass
class Decoded:
    """A value off the wire. ``was`` lists the types that were taken for a stage's own kinds of value."""

    value: Any
    was: list[str] = field(default_factory=list)


def encode(value: object, most: int = MAX_TENSOR_BYTES) -> tuple[Any, bytes]:
    """``value`` as JSON and a buffer, which fit a frame. What cannot be sent is described by its type instead.

    ``most``: bytes of all its tensors together.
    """
    writer = _Writer(most)
    return writer.write(value, 0), b"".join(writer.buffers)


def decode(spec: Any, payload: bytes) -> Decoded:
    """The value that ``encode`` made ``spec`` and ``payload`` of. Raises ``WireError`` for anything else."""
    decoded = Decoded(None)
    decoded.value = _Reader(payload, decoded.was).read(spec, 0)
    return decoded


def _bytes_of(tensor: Tensor) -> bytes:
    if tensor.dtype != torch.bfloat16:
        return tensor.numpy(force=True).tobytes()
    # NumPy lacks it. Copied out: torch calls a single entry contiguous whatever its stride, and cannot view its bytes.
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.reshape(-1))
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


class _Writer:
    def __init__(self, most: int) -> None:
        self._most = most
        self.buffers: list[bytes] = []
        self._offset = 0
        self._count = 0
        self._text_left = MAX_TEXT_TOGETHER

    def write(self, item: object, depth: int) -> dict[str, Any]:
        self._count += 1
        if depth > MAX_DEPTH or self._count > MAX_ITEMS:
            return self._other("a structure too deep or too long")
        try:
            return self._write(item, depth)
        except Exception:  # noqa: BLE001 - an object of the student's own may raise anything when it is looked at
            return self._other(_type_name(item))

    def _write(self, item: object, depth: int) -> dict[str, Any]:
        if isinstance(item, Tensor):
            return self._tensor(item, None)
        if isinstance(item, (np.ndarray, np.generic)):
            return self._tensor(torch.from_numpy(np.array(item)), _type_name(item))
        if item is None or isinstance(item, bool):
            return {"t": "plain", "v": item}
        if isinstance(item, int):
            if abs(item) >= 1 << 63:
                return self._other("int of more than 64 bits")
            return {"t": "plain", "v": int(item)}
        if isinstance(item, float):
            return {"t": "float", "v": float(item).hex()}
        if isinstance(item, str):
            return {"t": "plain", "v": self._text(str(item), MAX_TEXT)}
        if isinstance(item, (tuple, list)):
            spec: dict[str, Any] = {
                "t": "tuple",
                "v": [self.write(one, depth + 1) for one in self._first(item)],
            }
            if not isinstance(item, tuple):
                spec["was"] = self._text(_type_name(item), MAX_NAME)
            return spec
        if isinstance(item, Mapping):
            pairs = list(self._first(item.items()))
            if all(isinstance(key, str) for key, _ in pairs):
                return {
                    "t": "map",
                    "v": [[self._text(key, MAX_NAME), self.write(one, depth + 1)] for key, one in pairs],
                }
        return self._other(_type_name(item))

    def _tensor(self, tensor: Tensor, was: str | None) -> dict[str, Any]:
        plain = tensor.detach()
        size = plain.numel() * plain.element_size()
        if plain.dtype not in _NAMES or plain.layout != torch.strided or plain.dim() > MAX_DIMENSIONS:
            return self._other(f"torch.Tensor of {plain.dtype}, {plain.layout}, {plain.dim()} dimensions")
        if self._offset + size > self._most:
            return self._other(f"torch.Tensor of shape {tuple(plain.shape)}, more than is read")
        data = _bytes_of(plain)
        spec: dict[str, Any] = {
            "t": "tensor",
            "dtype": _NAMES[plain.dtype],
            "shape": list(plain.shape),
            "at": self._offset,
        }
        if was:
            spec["was"] = self._text(was, MAX_NAME)
        self._offset += len(data)
        self.buffers.append(data)
        return spec

    def _first(self, items: Any) -> Iterator[Any]:
        """As many of ``items`` as there is room for, and one more, in whose place stands that it is too long."""
        return islice(items, max(0, MAX_ITEMS - self._count) + 1)

    def _other(self, what: str) -> dict[str, Any]:
        return {"t": "other", "v": self._text(what, MAX_NAME)}

    def _text(self, text: str, most: int) -> str:
        cut = text[: min(most, self._text_left)]
        self._text_left -= len(cut)
        return cut


class _Reader:
    def __init__(self, payload: bytes, was: list[str]) -> None:
        self._payload = payload
        self._was = was
        self._count = 0
        self._bytes_left = MAX_TENSOR_BYTES

    def read(self, spec: Any, depth: int) -> Any:
        self._count += 1
        # One over the bound is what the writer says a structure too long with.
        if depth > MAX_DEPTH + 1 or self._count > 2 * MAX_ITEMS or not isinstance(spec, dict):
            raise WireError("a value's description is malformed, too deep or too long")
        kind, inner = spec.get("t"), spec.get("v")
        self._note(spec.get("was"))
        if kind == "tensor":
            return self._tensor(spec)
        if kind == "plain" and (inner is None or isinstance(inner, (bool, str))):
            return inner[:MAX_TEXT] if isinstance(inner, str) else inner
        if kind == "plain" and isinstance(inner, int) and abs(inner) < 1 << 63:
            return inner
        if kind == "float" and isinstance(inner, str) and len(inner) < 64:
            try:
                return float.fromhex(inner)
            except (ValueError, OverflowError) as error:
                raise WireError("a float is malformed") from error
        if kind == "tuple" and isinstance(inner, list):
            return tuple(self.read(item, depth + 1) for item in inner)
        if kind == "map" and isinstance(inner, list):
            return dict(self._pairs(inner, depth))
        if kind == "other" and isinstance(inner, str):
            return Unsendable(inner[:MAX_NAME])
        raise WireError("a value's description is malformed")

    def _note(self, was: Any) -> None:
        if isinstance(was, str) and len(self._was) < MAX_NAMES and was[:MAX_NAME] not in self._was:
            self._was.append(was[:MAX_NAME])

    def _pairs(self, pairs: list[Any], depth: int) -> Iterator[tuple[str, Any]]:
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                raise WireError("a mapping's description is malformed")
            yield pair[0][:MAX_NAME], self.read(pair[1], depth + 1)

    def _tensor(self, spec: dict[str, Any]) -> Tensor:
        name, shape, at = spec.get("dtype"), spec.get("shape"), spec.get("at")
        if (
            not isinstance(name, str)
            or name not in _DTYPES
            or not isinstance(shape, list)
            or len(shape) > MAX_DIMENSIONS
            or not all(type(size) is int and 0 <= size <= MAX_TENSOR_BYTES for size in shape)
            or type(at) is not int
        ):
            raise WireError("a tensor's description is malformed")
        dtype = _DTYPES[name]
        count = 1
        for size in shape:
            count *= size
        length = count * dtype.itemsize
        # Together, too: many descriptions may name one and the same piece of the payload.
        self._bytes_left -= length
        if self._bytes_left < 0 or not 0 <= at <= len(self._payload) - length:
            raise WireError("a tensor's buffer is too short, or over the bound")
        try:
            if not count:
                return torch.empty(shape, dtype=dtype)
            buffer = bytearray(self._payload[at : at + length])
            if dtype == torch.bool:
                # Any other byte than 0 and 1 would make a bool that torch does not know.
                return torch.frombuffer(buffer, dtype=torch.uint8).ne(0).reshape(shape)
            return torch.frombuffer(buffer, dtype=dtype).reshape(shape)
        except RuntimeError as error:
            raise WireError(f"torch makes no tensor of it: {str(error)[:MAX_NAME]}") from error


def _type_name(item: object) -> str:
    kind = type(item)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
