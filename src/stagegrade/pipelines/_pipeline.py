"""The ordered stages of one assignment, and the inputs they start from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor

from stagegrade.pipelines._case import Case, Kind
from stagegrade.pipelines._mistake import Mistake
from stagegrade.pipelines._rule import Rule
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Shape, Trace, Value


@dataclass(frozen=True, kw_only=True)
class ModuleForm:
    """How a student's ``nn.Module`` is asked: built, given its weights, called.

    A weight is set from the case's input of the same name, whether it is an ``nn.Parameter`` of the shape in
    ``weights`` or an ``nn.Linear``, whose ``weight`` is its transpose.
    """

    build: tuple[str, ...]
    """Sizes given to the constructor, in order."""
    weights: Mapping[str, Shape]
    """In the order in which the worked example draws them."""
    start_seed: int = 123
    """The seed set before the module is built, so that its starting values can be looked at."""
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
    rules: tuple[Rule, ...] = ()
    """Calls that may not be used, whatever they give. A course may change them: ``c.StageExecute.rules``."""

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
            fits = mistake.fits(self.stage(mistake.stage), frozenset(known))
            if not fits or not set(mistake.later) <= set(names):
                raise ValueError(f"{mistake.name} reads a value or a stage that {self.name} does not have")
        for rule in self.rules:
            if not set(rule.stages) <= set(names):
                raise ValueError(f"{self.name} lacks a stage that its rule about {rule.call} names")

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """The shape of every input and every value that a stage gives, by name."""
        return {**self.inputs, **{name: shape for s in self.stages for name, shape in s.gives.items()}}

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The named dimensions, in order of appearance."""
        return tuple(dict.fromkeys(d for shape in self.shapes.values() for d in shape if isinstance(d, str)))

    @property
    def asked(self) -> tuple[Stage, ...]:
        """The stages a student answers for: all but the given ones."""
        return tuple(stage for stage in self.stages if stage.of != "given")

    def stage(self, name: str) -> Stage:
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(f"{self.name} has no stage {name}")

    @cached_property
    def inside(self) -> tuple[Stage, ...]:
        """The stages inside the module's ``forward``."""
        return tuple(stage for stage in self.stages if stage.of == "forward")

    def mistakes_of(self, stage: Stage) -> tuple[Mistake, ...]:
        return tuple(mistake for mistake in self.mistakes if mistake.stage == stage.name)

    def run(self, case: Case, mistakes: Sequence[Mistake] = (), *, until: str | None = None) -> Trace:
        """The trace of a case, as far as the value called ``until``: every input and every stage's values.

        With ``mistakes`` their stages give what wrong code would give, and raise what it would raise. In a
        batched case the stages that are not batched are left out, and so is what reads them.
        """
        trace: dict[str, Value] = dict(case.inputs)
        for stage in self.stages:
            if not self.asks(stage, case):
                continue
            trace |= stage.named(self.output(stage, trace, mistakes))
            if until in stage.gives:
                break
        return trace

    def output(self, stage: Stage, trace: Trace, mistakes: Sequence[Mistake] = ()) -> Value:
        """What one stage gives for the trace so far, with its own mistake and what an earlier one makes of it."""
        own = next((mistake for mistake in mistakes if mistake.stage == stage.name), None)
        given = own.output(stage, trace) if own else stage.reference(**stage.arguments(trace))
        for mistake in mistakes:
            if stage.name in mistake.later:
                given = mistake.output_later(stage, trace, given)
        return given

    def asks(self, stage: Stage, case: Case) -> bool:
        if case.of is not None:
            return stage.name == case.of
        return stage.batched or case.kind != Kind.BATCHED

    def choice(self, turn: int) -> dict[str, Value]:
        """The choices of one turn; they are gone through in order, and from the beginning again."""
        return {name: values[turn % len(values)] for name, values in self.choices.items()}

    @property
    def turns(self) -> int:
        """How many turns it takes to see every choice."""
        return max((len(values) for values in self.choices.values()), default=1)
