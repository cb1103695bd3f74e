"""One step of a computation."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from stagegrade.pipelines._value import Shape, Trace, Value

Of = Literal["function", "forward", "parameters", "given"]
"""Who computes a stage: a function of the student's, the inside of the module's ``forward``, the
module's weights as they stand registered, or (``given``) nobody: the reference alone, for a later stage to read."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A named step: what it reads, what it gives, in which shape, and the reference that computes it.

    ``reference`` names what it reads by its parameters. It returns the one value of ``gives``, or a tuple
    of them in the order of ``gives``.
    """

    name: str
    purpose: str = ""
    """What the stage is for, as the end of a sentence that begins "This stage"; the catalogue's page says it."""
    formula: str
    reference: Callable[..., Value]
    gives: Mapping[str, Shape]
    of: Of = "function"
    checkpoint: str | None = None
    """The item of the checklist that covers it."""
    batched: bool = False
    """Whether it is also asked with a batch in front of every shape."""
    working: Callable[..., str] | None = None
    """The arithmetic of one entry of its value, written out. Called as ``working(name, at, *reads)`` with the name
    of the value (one of ``gives``), the entry's index in it, and what the reference reads, in its order."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names by which mistakes of the catalogue know this stage's values, against this pipeline's own names."""

    @cached_property
    def reads(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.reference).parameters)

    def named(self, output: Value) -> dict[str, Value]:
        """What the stage returned, by the names of ``gives``."""
        if len(self.gives) == 1:
            (name,) = self.gives
            return {name: output}
        if not isinstance(output, tuple) or len(output) != len(self.gives):
            raise ValueError(f"stage {self.name} gives {len(self.gives)} values")
        return dict(zip(self.gives, output, strict=True))

    def arguments(self, trace: Trace) -> dict[str, Value]:
        """The values it reads, by parameter, in the order of its parameters."""
        return {name: trace[name] for name in self.reads}
