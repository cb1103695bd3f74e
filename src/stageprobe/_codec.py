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
MAX_ITEMS = 4096
MAX_TEXT = 4096
MAX_DIMENSIONS = 8
MAX_TENSOR_BYTES = 32 << 20

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


def encode(value: object) -> tuple[Any, bytes]:
    """``value`` as JSON and a buffer. What cannot be sent is described by its type instead."""
    buffers: list[bytes] = []
    count = 0
    offset = 0

    def tensor(t: Tensor, was: str | None) -> dict[str, Any]:
        nonlocal offset
        plain = t.detach()
        size = plain.numel() * plain.element_size()
        if plain.dtype not in _NAMES or plain.layout != torch.strided or plain.dim() > MAX_DIMENSIONS:
            return {"t": "other", "v": f"torch.Tensor of {plain.dtype}, {plain.layout}"}
        if size > MAX_TENSOR_BYTES:
            return {"t": "other", "v": f"torch.Tensor of {size} bytes"}
        flat = plain.cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
        data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
        spec: dict[str, Any] = {
            "t": "tensor",
            "dtype": _NAMES[plain.dtype],
            "shape": list(plain.shape),
            "at": offset,
        }
        if was:
            spec["was"] = was
        offset += len(data)
        buffers.append(data)
        return spec

    def walk(item: object, depth: int) -> dict[str, Any]:
        nonlocal count
        count += 1
        if depth > MAX_DEPTH or count > MAX_ITEMS:
            return {"t": "other", "v": "a structure too deep or too long"}
        if isinstance(item, Tensor):
            return tensor(item, None)
        if isinstance(item, (np.ndarray, np.generic)):
            try:
                return tensor(torch.from_numpy(np.array(item)), _type_name(item))
            except TypeError:
                return {"t": "other", "v": f"{_type_name(item)} of {item.dtype}"}
        if item is None or isinstance(item, bool):
            return {"t": "plain", "v": item}
        if isinstance(item, int) and abs(item) < 1 << 63:
            return {"t": "plain", "v": int(item)}
        if isinstance(item, float):
            return {"t": "float", "v": float(item).hex()}
        if isinstance(item, str):
            return {"t": "plain", "v": str(item)[:MAX_TEXT]}
        if isinstance(item, (tuple, list)):
            spec: dict[str, Any] = {"t": "tuple", "v": [walk(i, depth + 1) for i in islice(item, MAX_ITEMS)]}
            if not isinstance(item, tuple):
                spec["was"] = _type_name(item)
            return spec
        if isinstance(item, Mapping) and all(isinstance(key, str) for key in item):
            pairs = islice(item.items(), MAX_ITEMS)
            return {"t": "map", "v": [[key[:MAX_TEXT], walk(v, depth + 1)] for key, v in pairs]}
        return {"t": "other", "v": _type_name(item)[:MAX_TEXT]}

    return walk(value, 0), b"".join(buffers)


def decode(spec: Any, payload: bytes) -> Decoded:
    """The value that ``encode`` made ``spec`` and ``payload`` of. Raises ``WireError`` for anything else."""
    decoded = Decoded(None)
    decoded.value = _Reader(payload, decoded.was).read(spec, 0)
    return decoded


class _Reader:
    def __init__(self, payload: bytes, was: list[str]) -> None:
        self._payload = payload
        self._was = was
        self._count = 0

    def read(self, spec: Any, depth: int) -> Any:
        self._count += 1
        if depth > MAX_DEPTH or self._count > MAX_ITEMS or not isinstance(spec, dict):
            raise WireError("a value's description is malformed, too deep or too long")
        kind, inner = spec.get("t"), spec.get("v")
        was = spec.get("was")
        if isinstance(was, str):
            self._was.append(was[:MAX_TEXT])
        if kind == "tensor":
            return self._tensor(spec)
        if kind == "plain" and (inner is None or isinstance(inner, (bool, int, str))):
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
            return Unsendable(inner[:MAX_TEXT])
        raise WireError("a value's description is malformed")

    def _pairs(self, pairs: list[Any], depth: int) -> Iterator[tuple[str, Any]]:
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                raise WireError("a mapping's description is malformed")
            yield pair[0], self.read(pair[1], depth + 1)

    def _tensor(self, spec: dict[str, Any]) -> Tensor:
        dtype, shape, at = spec.get("dtype"), spec.get("shape"), spec.get("at")
        if (
            not isinstance(dtype, str)
            or dtype not in _DTYPES
            or not isinstance(shape, list)
            or len(shape) > MAX_DIMENSIONS
            or not all(type(size) is int and 0 <= size <= MAX_TENSOR_BYTES for size in shape)
            or type(at) is not int
        ):
            raise WireError("a tensor's description is malformed")
        count = 1
        for size in shape:
            count *= size
        length = count * _DTYPES[dtype].itemsize
        if length > MAX_TENSOR_BYTES or not 0 <= at <= len(self._payload) - length:
            raise WireError("a tensor's buffer is too short, or over the bound")
        if not count:
            return torch.empty(shape, dtype=_DTYPES[dtype])
        buffer = bytearray(self._payload[at : at + length])
        return torch.frombuffer(buffer, dtype=_DTYPES[dtype]).reshape(shape)


def _type_name(item: object) -> str:
    kind = type(item)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
