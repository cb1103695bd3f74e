"""The ordered stages of one assignment, and the inputs they start from."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from stagegrade.pipelines._case import Case, Kind
from stagegrade.pipelines._mistake import Mistake
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Shape, Trace, Value

# Three at least: ``keys[2]`` must exist to be told apart from ``keys[1]``.
SIZES = (3, 4, 5, 6, 7, 8)
RECTANGULAR_CASES = 5


@dataclass(frozen=True, kw_only=True)
class ModuleForm:
    """How a student's ``nn.Module`` is asked: built, given its weights, called.

    A weight is set from the case's input of the same name, whether it is an ``nn.Parameter`` of the shape in
    ``weights`` or an ``nn.Linear``, whose ``weight`` is its transpose.
    """

    build: tuple[str, ...]
    """Sizes given to the constructor, in order."""
    weights: Mapping[str, Shape]
    biases: Mapping[str, str] = field(default_factory=dict)
    """For a weight that is an ``nn.Linear`` with a bias: the input that the bias is set from."""
    forward: tuple[str, ...]
    """Inputs given to ``forward``, in order."""
    result: str
    """The value that ``forward`` returns."""


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """An assignment's stages in order.

    ``inputs`` are tensors drawn at random in the named shapes; ``choices`` are values gone through in turn, one
    a case. ``worked`` gives the inputs of the worked example.
    """

    name: str
    inputs: Mapping[str, Shape]
    stages: tuple[Stage, ...]
    worked: Callable[[], Mapping[str, Tensor]]
    mistakes: tuple[Mistake, ...] = ()
    choices: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    module: ModuleForm | None = None
    exact_sizes: Mapping[str, int] = field(default_factory=dict)
    """Sizes for the case of large magnitude. Its numbers are whole, so that every right order of operations
    gives the very same tensors; a dimension whose square root is taken must be a perfect square here."""

    def __post_init__(self) -> None:
        known = set(self.inputs) | set(self.choices) | set(self.dimensions)
        for stage in self.stages:
            unread = [name for name in stage.reads if name not in known]
            if unread:
                raise ValueError(
                    f"{self.name}.{stage.name} reads {', '.join(unread)}, which nothing before it gives"
                )
            known |= set(stage.gives)
        names = [stage.name for stage in self.stages]
        if len(set(names)) != len(names):
            raise ValueError(f"{self.name} has two stages of one name")
        for mistake in self.mistakes:
            if mistake.stage not in names:
                raise ValueError(f"{self.name} has no stage {mistake.stage} for {mistake.name}")
            if not mistake.fits(self.stage(mistake.stage), frozenset(known)):
                raise ValueError(f"{mistake.name} reads a value that {self.name} does not have")

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The named dimensions, in order of appearance."""
        shapes = [*self.inputs.values(), *(shape for s in self.stages for shape in s.gives.values())]
        return tuple(dict.fromkeys(d for shape in shapes for d in shape if isinstance(d, str)))

    @property
    def asked(self) -> tuple[Stage, ...]:
        """The stages a student answers for: all but the given ones."""
        return tuple(stage for stage in self.stages if stage.of != "given")

    def stage(self, name: str) -> Stage:
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(f"{self.name} has no stage {name}")

    def mistakes_of(self, stage: Stage) -> tuple[Mistake, ...]:
        return tuple(mistake for mistake in self.mistakes if mistake.stage == stage.name)

    def run(self, case: Case, replaced: Mapping[str, Callable[[Trace], Value]] | None = None) -> Trace:
        """The trace of a case: every input and every stage's values.

        ``replaced`` puts another computation of the trace so far in a stage's place. In a batched case the
        stages that are not batched are left out, and so is what reads them.
        """
        trace: dict[str, Value] = dict(case.inputs)
        for stage in self.stages:
            if not self.asks(stage, case):
                continue
            if replaced and stage.name in replaced:
                output = replaced[stage.name](trace)
            else:
                output = stage.reference(**stage.arguments(trace))
            trace |= stage.named(output)
        return trace

    def asks(self, stage: Stage, case: Case) -> bool:
        return stage.batched or case.kind != Kind.BATCHED

    def cases(self, seed: int) -> tuple[Case, ...]:
        """The worked example, then seeded cases of every kind that the pipeline allows."""
        kinds = [Kind.RECTANGULAR] * RECTANGULAR_CASES
        if any(stage.batched for stage in self.stages):
            kinds.append(Kind.BATCHED)
        kinds.append(Kind.LARGE)
        # More choices than cases: go round again, so that each is asked.
        longest = max((len(values) for values in self.choices.values()), default=0)
        kinds += [Kind.RECTANGULAR] * max(0, longest - len(kinds) - 1)
        drawn = [self.draw(kind, seed + turn, turn) for turn, kind in enumerate(kinds, start=1)]
        return (self._worked_case(), *drawn)

    def _worked_case(self) -> Case:
        inputs = dict(self.worked())
        sizes: dict[str, int] = {}
        for name, shape in self.inputs.items():
            for dimension, size in zip(shape, inputs[name].shape, strict=True):
                if isinstance(dimension, str):
                    sizes[dimension] = int(size)
        return Case(kind=Kind.WORKED, seed=0, sizes=sizes, inputs={**inputs, **self._choice(0), **sizes})

    def _choice(self, turn: int) -> dict[str, Value]:
        return {name: values[turn % len(values)] for name, values in self.choices.items()}

    def draw(self, kind: Kind, seed: int, turn: int = 0) -> Case:
        """A case of ``kind``, the same for the same ``seed``; ``turn`` says which of the choices it has."""
        rng = random.Random(seed)
        generator = torch.Generator().manual_seed(seed)
        sizes = self._sizes(kind, rng)
        batch = (2,) if kind == Kind.BATCHED else ()
        inputs: dict[str, Value] = {}
        for name, shape in self.inputs.items():
            is_weight = self.module is not None and (
                name in self.module.weights or name in self.module.biases.values()
            )
            size = tuple(d if isinstance(d, int) else sizes[d] for d in shape)
            inputs[name] = _draw(size if is_weight else batch + size, kind, generator)
        return Case(kind=kind, seed=seed, sizes=sizes, inputs={**inputs, **self._choice(turn), **sizes})

    def _sizes(self, kind: Kind, rng: random.Random) -> dict[str, int]:
        fixed = dict(self.exact_sizes) if kind == Kind.LARGE else {}
        free = [d for d in self.dimensions if d not in fixed]
        spare = [size for size in SIZES if size not in fixed.values()]
        return fixed | dict(zip(free, rng.sample(spare, len(free)), strict=True))


def _draw(size: tuple[int, ...], kind: Kind, generator: torch.Generator) -> Tensor:
    if kind == Kind.LARGE:
        # Whole, and small enough for every product and sum to be exact in float32; large enough for the
        # exponential of a score to overflow there.
        return torch.randint(-12, 13, size, generator=generator).float()
    return torch.rand(size, generator=generator) * 2.4 - 1.2
