"""A named wrong variant of a stage, with its explanation and hint."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Trace, Value


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """What differs from the reference when somebody gets a stage wrong in one well-known way.

    ``variant`` computes the wrong output. It may read any value of the trace by naming it as a parameter, not
    only what its stage reads, because that is what a slip in one long function does. A parameter called
    ``reference`` gets the stage's own reference, so that one definition serves every pipeline that has the
    stage, the single query and the batch. Where the wrong code would raise, the variant raises.
    """

    name: str
    stage: str
    sees: str
    """What the student sees: the symptom, as a whole sentence."""
    why: str
    """Why it is wrong, as a whole sentence."""
    hint: str
    """Where to look next, as a whole sentence that does not give the answer away."""
    variant: Callable[..., Value]
    checkpoint: str | None = None
    """The checklist's item, where it is another than the stage's own."""
    later: Mapping[str, Callable[..., Value]] = field(default_factory=dict, hash=False)
    """What the same slip makes of later stages, by their names, where it spans more than its own. A parameter called
    ``given`` gets what the later stage gives without it, right or wrong."""
    remark: bool = False
    """Whether the stage is right all the same: worth a word, and never a point."""

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        return _parameters(self.variant)

    @cached_property
    def _parameters_later(self) -> dict[str, tuple[str, ...]]:
        return {stage: _parameters(variant) for stage, variant in self.later.items()}

    def fits(self, stage: Stage, names: frozenset[str]) -> bool:
        """Whether every value it reads exists (under this name or an alias) in a trace with ``names``."""
        return all(p == "reference" or stage.aliases.get(p, p) in names for p in self.parameters)

    def output(self, stage: Stage, trace: Trace) -> Value:
        """What code with this mistake gives for ``trace``; raises what that code would raise."""
        return self.variant(**_given(stage, trace, self.parameters))

    def output_later(self, stage: Stage, trace: Trace, given: Value) -> Value:
        """What the same slip makes of what a later ``stage``, one of ``later``, gives without it."""
        reads = self._parameters_later[stage.name]
        return self.later[stage.name](**_given(stage, {**trace, "given": given}, reads))


def _parameters(variant: Callable[..., Value]) -> tuple[str, ...]:
    return tuple(inspect.signature(variant).parameters)


def _given(stage: Stage, trace: Trace, names: tuple[str, ...]) -> dict[str, Value]:
    return {
        name: stage.reference if name == "reference" else trace[stage.aliases.get(name, name)]  # type: ignore[misc]
        for name in names
    }


class Catalogue:
    """The mistakes of one stage. ``@catalogue.mistake(name=…, …)`` adds one."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self._mistakes: list[Mistake] = []

    def mistake(
        self,
        *,
        name: str,
        sees: str,
        why: str,
        hint: str,
        checkpoint: str | None = None,
        later: Mapping[str, Callable[..., Value]] | None = None,
        remark: bool = False,
    ) -> Callable[[Callable[..., Value]], Mistake]:
        def add(variant: Callable[..., Value]) -> Mistake:
            if any(known.name == name for known in self._mistakes):
                raise ValueError(f"two mistakes of {self.stage} are called {name}")
            made = Mistake(
                name=name,
                stage=self.stage,
                sees=sees,
                why=why,
                hint=hint,
                variant=variant,
                checkpoint=checkpoint,
                later=later or {},
                remark=remark,
            )
            self._mistakes.append(made)
            return made

        return add

    def on(self, stage: str | None = None, *, without: tuple[str, ...] = ()) -> tuple[Mistake, ...]:
        """The mistakes, for a stage that may bear another name, less those that make no difference there."""
        unknown = set(without) - {mistake.name for mistake in self._mistakes}
        if unknown:
            raise ValueError(f"no mistake of {self.stage} is called {', '.join(sorted(unknown))}")
        return tuple(
            replace(mistake, stage=stage or self.stage)
            for mistake in self._mistakes
            if mistake.name not in without
        )

    def __iter__(self) -> Iterator[Mistake]:
        return iter(self._mistakes)
