"""Whether what the probe and a test rely on is still what it was before the notebook's code ran.

Code in a notebook shares the process and can change this too: what is found here is for a person to see, and
what is not found proves nothing. No points depend on it where answers can be compared.
"""

import builtins
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter, call, is_
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

MAX_NAMED = 10

_RELIED_ON: tuple[tuple[str, Any, str], ...] = (
    ("torch", torch, "allclose equal isclose tensor as_tensor"),
    ("torch.testing", torch.testing, "assert_close"),
    ("torch.Tensor", torch.Tensor, "__eq__ __bool__ __float__ allclose equal item tolist"),
    ("nn.Module", nn.Module, "__call__ parameters named_parameters"),
    ("numpy", np, "allclose array_equal isclose asarray"),
    ("numpy.testing", np.testing, "assert_allclose assert_array_equal assert_equal"),
    ("math", math, "isclose isnan sqrt"),
    (
        "builtins",
        builtins,
        "abs all any bool float int isinstance len max min round sum AssertionError compile exec",
    ),
)
# Nothing is equal to both of a pair.
_DIFFERENT: tuple[tuple[object, object], ...] = (
    (object(), object()), (1, 2), (1.5, 2.5), ("a", "b"), ((1,), (2,)), (True, False), (None, ()),
)  # fmt: skip
_MODULES = "torch torch.nn torch.nn.functional torch.testing numpy numpy.testing math builtins"
_OF_SHELL = "run_cell run_cell_async run_code run_ast_nodes showtraceback _showtraceback transform_cell"


class _Same:
    """Things that were found somewhere, and are to be found there again: by C code alone, as there are hundreds.

    ``find`` is called with the parts of a place.
    """

    def __init__(self, find: Callable[..., object], parts: int) -> None:
        self._find = find
        self._names: list[str] = []
        self._places: tuple[list[Any], ...] = tuple([] for _ in range(parts))
        self._things: list[object] = []

    def hold(self, name: str, *place: Any) -> object:
        thing = self._find(*place)
        self._names.append(name)
        for parts, part in zip(self._places, place, strict=True):
            parts.append(part)
        self._things.append(thing)
        return thing

    def replaced(self, all_: Any = all, map_: Any = map, is_: Any = is_) -> list[str]:
        """The names of those that are no longer there; by means of its own, as others can be replaced too."""
        if all_(map_(is_, map_(self._find, *self._places), self._things)):
            return []
        now = map_(self._find, *self._places)
        return [
            name
            for name, found, thing in zip(self._names, now, self._things, strict=True)
            if found is not thing
        ]


class Whole:
    """Made before the first cell; ``replaced`` says what is no longer the same."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._modules = {
            name: module
            for name, module in sys.modules.items()
            if name in _MODULES.split() or name.partition(".")[0] == "stageprobe"
        }
        # What is in an object's own namespace, by that namespace's ``get``; the namespaces themselves, which an
        # instance can be given a new one of; and the code of functions.
        self._own, self._namespaces, self._codes = (
            _Same(call, 2),
            _Same(vars, 1),
            _Same(attrgetter("__code__"), 1),
        )
        self._hold(self._watched())

    def watch(self, *speakers: object) -> None:
        """Watch the objects too that this process speaks to the judge by."""
        self._hold(
            (f"{type(speaker).__name__}.{key}", speaker, key)
            for speaker in speakers
            for key in {
                k for owner in (type(speaker), speaker) for k, v in vars(owner).items() if callable(v)
            }
        )

    def _hold(self, watched: Iterable[tuple[str, Any, str]]) -> None:
        gets: dict[int, Any] = {}
        for name, owner, key in watched:
            if id(owner) not in gets:
                gets[id(owner)] = vars(owner).get
                if not isinstance(owner, (type, ModuleType)):
                    self._namespaces.hold(type(owner).__name__, owner)
            # Not getattr: a bound method is made anew each time, and an object's own attribute hides its class's.
            found = self._own.hold(name, gets[id(owner)], key)
            if isinstance(found, FunctionType):
                self._codes.hold(name, found)

    def _watched(self) -> Iterator[tuple[str, Any, str]]:
        for label, owner, names in _RELIED_ON:
            for key in names.split():
                yield f"{label}.{key}", owner, key
        for key in _OF_SHELL.split():
            yield f"IPython's {key}", self._shell, key
            yield f"IPython's {key}", type(self._shell), key
        for module in [m for name, m in sys.modules.items() if name.partition(".")[0] == "stageprobe"]:
            yield from _functions(module)

    def replaced(self) -> list[str]:
        """Names of what was replaced or is looked through, for a person."""
        found = [*self._own.replaced(), *self._namespaces.replaced(), *self._codes.replaced()]
        found += [name for name, module in self._modules.items() if sys.modules.get(name) is not module]
        if self._shell.ast_transformers:
            found.append("IPython's ast_transformers")
        if sys.gettrace() is not None or sys.getprofile() is not None:
            found.append("sys.settrace")
        return list(dict.fromkeys(found))[:MAX_NAMED]


def suspects() -> list[str]:
    """Classes of the notebook's own whose objects are equal to whatever they are compared with."""
    found = []
    for kind in _subclasses(object):
        if kind.__module__ == "__main__" and any("__eq__" in vars(k) for k in kind.__mro__[:-1]):
            try:
                made: object = kind.__new__(kind)  # type: ignore[call-overload]
                if any(bool(made == one) and bool(made == other) for one, other in _DIFFERENT):
                    found.append(kind.__name__[:100])
            except Exception:  # noqa: BLE001 - it cannot be made so, or raises when it is compared
                continue
    return found[:MAX_NAMED]


def _subclasses(kind: type) -> set[type]:
    found: set[type] = set()
    waiting = [kind]
    below: type
    while waiting:
        for below in type.__subclasses__(waiting.pop()):
            if below not in found:
                found.add(below)
                waiting.append(below)
    return found


def _functions(module: ModuleType) -> Iterator[tuple[str, Any, str]]:
    for key, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, FunctionType):
            yield f"{module.__name__}.{key}", module, key
        elif isinstance(value, type):
            yield f"{module.__name__}.{key}", module, key
            for name, method in list(vars(value).items()):
                if isinstance(method, FunctionType):
                    yield f"{module.__name__}.{key}.{name}", value, name
