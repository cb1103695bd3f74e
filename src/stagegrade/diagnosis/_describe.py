"""Describes a wrong output that no mistake of the catalogue explains, in words a student knows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._factor import constant_factor
from stagegrade.diagnosis._outcome import Answered
from stagegrade.diagnosis._shapes import shape_in_words
from stagegrade.diagnosis._trial import Trial, is_right
from stagegrade.pipelines import Kind, Shape, Stage, Trace, Value

COPIED = 2e-3
"""How far a figure copied from a page may be from the computed one: it has four decimals at most."""


@dataclass(frozen=True)
class Pair:
    """A stage's value on one case: what it should be, and what came."""

    trace: Trace
    sizes: Mapping[str, int]
    worked: bool
    expected: Tensor
    got: Tensor


def describe(stage: Stage, trials: Sequence[Trial]) -> list[str]:
    """Sentences that hold on every case where a tensor came back, the most telling first."""
    sentences = []
    found = _pairs(stage, trials)
    if found is not None:
        name, pairs = found
        sentences += describe_value(name, stage.gives[name], pairs, own=tuple(stage.gives))
    sentences += _where_it_shows(stage, trials)
    changed = {name for t in trials if isinstance(t.alone, Answered) for name in t.alone.changed}
    if changed:
        names = ", ".join(f"`{name}`" for name in sorted(changed))
        sentences.append(f"It changes its input {names} in place.")
    return sentences


def describe_value(name: str, shape: Shape, pairs: Sequence[Pair], own: Sequence[str] = ()) -> list[str]:
    """What the wrong tensors called ``name`` have in common; ``own`` are values not to compare them with."""
    both = [(pair.expected, pair.got) for pair in pairs]
    copied = _copied(pairs)
    if copied:
        return [copied]
    for sentence, holds in _FORMS:
        if all(holds(expected, got) for expected, got in both):
            return [sentence]
    factor = constant_factor([(pair.sizes, pair.expected, pair.got) for pair in pairs])
    other = _other_value(pairs, own or (name,))
    sentences = [sentence for sentence in (other, factor) if sentence]
    shapes = [(pair.sizes, tuple(pair.got.shape)) for pair in pairs]
    if not sentences and any(expected.shape != got.shape for expected, got in both):
        words = shape_in_words(name, shape, [tuple(e.shape) for e, _ in both], shapes)
        sentences += [words] if words else []
    if not sentences:
        sentences += [s for s, holds in _FEATURES if all(holds(expected, got) for expected, got in both)][:2]
    return sentences


def _pairs(stage: Stage, trials: Sequence[Trial]) -> tuple[str, list[Pair]] | None:
    """The first value of the stage that is wrong somewhere, on every case; ``None`` where it is no tensor."""
    answered = [(trial, _named(stage, trial)) for trial in trials if isinstance(trial.alone, Answered)]
    for name in stage.gives:
        pairs = []
        for trial, values in answered:
            expected, got = trial.trace[name], values.get(name)
            if not isinstance(expected, Tensor) or not isinstance(got, Tensor) or got.is_complex():
                return None
            worked = trial.case.kind == Kind.WORKED
            pairs.append(Pair(trial.trace, trial.case.sizes, worked, expected, got))
        if any(not same(pair.expected, pair.got) for pair in pairs):
            return name, pairs
    return None


def _named(stage: Stage, trial: Trial) -> dict[str, Value]:
    assert isinstance(trial.alone, Answered)
    try:
        return stage.named(trial.alone.value)
    except ValueError:
        return {}


def _copied(pairs: Sequence[Pair]) -> str | None:
    """The worked example's figures, typed in: to all cases alike, or to the worked example alone."""
    worked = next((pair for pair in pairs if pair.worked), None)
    if worked is None or len(pairs) < 2 or worked.got.shape != worked.expected.shape:
        return None
    if not torch.allclose(worked.got.double(), worked.expected.double(), rtol=0, atol=COPIED):
        return None
    others = [pair for pair in pairs if not pair.worked]
    if all(same(worked.got, pair.got) for pair in others):
        return "It gives the worked example's answer whatever the input."
    if all(same(pair.expected, pair.got) for pair in others) and not same(worked.expected, worked.got):
        return "It is right but on the worked example, where it gives that example's figures as they are printed."
    return None


def _where_it_shows(stage: Stage, trials: Sequence[Trial]) -> list[str]:
    """Which kinds of case it is wrong on, where that is not all of them."""
    right = {t.case.kind for t in trials if is_right(stage, t.trace, t.alone)}
    wrong = {t.case.kind for t in trials if not is_right(stage, t.trace, t.alone)}
    if Kind.WORKED in right and wrong >= {Kind.RECTANGULAR}:
        return ["It is right on the worked example, and wrong where the sizes or the numbers are others."]
    if wrong == {Kind.LARGE}:
        return ["It is wrong only where the numbers are large."]
    if wrong == {Kind.BATCHED}:
        return ["It is right for a single sequence, and wrong for a batch of them."]
    return []


def _other_value(pairs: Sequence[Pair], own: Sequence[str]) -> str | None:
    names = [name for name in pairs[0].trace if name not in own]
    for form, how in ((lambda t: t, ""), (_turned, ", transposed")):
        for name in names:
            values = [pair.trace.get(name) for pair in pairs]
            if all(
                isinstance(value, Tensor) and same(form(value), pair.got)
                for value, pair in zip(values, pairs, strict=True)
            ):
                return f"The output is `{name}`{how}."
    return None


def _turned(tensor: Tensor) -> Tensor:
    return tensor.transpose(-2, -1) if tensor.dim() > 1 else tensor


def _transposed(expected: Tensor, got: Tensor) -> bool:
    return expected.dim() >= 2 and same(expected.transpose(-2, -1), got)


def _reshaped(expected: Tensor, got: Tensor) -> bool:
    if expected.dim() == 0 or got.numel() != expected.numel() or got.shape == expected.shape:
        return False
    return same(expected.flatten(), got.flatten())


def _rows_permuted(expected: Tensor, got: Tensor) -> bool:
    if expected.dim() < 1 or got.shape != expected.shape:
        return False
    if expected.dim() > 2:
        return all(_rows_permuted(one, other) for one, other in zip(expected, got, strict=True))
    rows = list(got.double())
    return all(any(same(row, other) for other in rows) for row in expected.double())


def _not_finite(expected: Tensor, got: Tensor) -> bool:
    return not bool(torch.isfinite(got).all())


def _cut(expected: Tensor, got: Tensor) -> bool:
    return got.shape == expected.shape and same(expected.trunc().double(), got.double())


def _whole(expected: Tensor, got: Tensor) -> bool:
    return got.shape == expected.shape and same(expected.round().double(), got.double())


def _rounded(decimals: int) -> Callable[[Tensor, Tensor], bool]:
    def holds(expected: Tensor, got: Tensor) -> bool:
        if got.shape != expected.shape:
            return False
        off = float((expected.double() - got.double()).abs().max()) if got.numel() else 0.0
        whole = (got.double() * 10**decimals - (got.double() * 10**decimals).round()).abs().max()
        return off <= 0.51 * 10**-decimals and float(whole) < 1e-2 and off > 0

    return holds


def _coarse(expected: Tensor, got: Tensor) -> bool:
    return got.dtype in (torch.float16, torch.bfloat16) and torch.allclose(
        expected.float(), got.float(), rtol=1e-2, atol=1e-2
    )


_FORMS: tuple[tuple[str, Callable[[Tensor, Tensor], bool]], ...] = (
    (
        "The numbers are right but the matrix is transposed: rows and columns have changed places.",
        _transposed,
    ),
    ("The numbers are right but have a dimension of size 1 in front.", lambda e, g: same(e.unsqueeze(0), g)),
    (
        "The numbers are right but stand in a column: there is a dimension of size 1 at the end.",
        lambda e, g: same(e.unsqueeze(-1), g),
    ),
    ("The numbers are right and in order, but in another shape.", _reshaped),
    ("The rows are right but not in order.", _rows_permuted),
    (
        "The numbers are the right ones cut to whole numbers: is there a tensor or a conversion of integers?",
        _cut,
    ),
    ("The numbers are the right ones rounded to whole numbers.", _whole),
    ("The numbers are right up to the fourth decimal only: something rounds them.", _rounded(4)),
    ("The numbers are right up to the third decimal only: something rounds them.", _rounded(3)),
    ("The numbers are right up to the second decimal only: something rounds them.", _rounded(2)),
    ("The numbers are right up to the precision of half floats only: look at the dtype.", _coarse),
    ("The output holds NaN or infinity.", _not_finite),
)


def _sums(dim: int) -> Callable[[Tensor, Tensor], bool]:
    def holds(expected: Tensor, got: Tensor) -> bool:
        if got.dim() < -dim or not got.is_floating_point() or got.shape != expected.shape:
            return False
        ones = torch.ones((), dtype=torch.float64)
        return _all_close(got.double().sum(dim), ones) and not _all_close(expected.double().sum(dim), ones)

    return holds


def _rows_do_not_sum_to_one(expected: Tensor, got: Tensor) -> bool:
    if got.dim() < 1 or got.shape != expected.shape:
        return False
    ones = torch.ones((), dtype=torch.float64)
    return _all_close(expected.double().sum(-1), ones) and not _all_close(got.double().sum(-1), ones)


def _all_sum_to_one(expected: Tensor, got: Tensor) -> bool:
    one = torch.ones((), dtype=torch.float64)
    return got.dim() > 1 and _all_close(got.double().sum(), one)


def _all_close(sums: Tensor, wanted: Tensor) -> bool:
    return torch.allclose(sums, wanted.expand_as(sums), rtol=0, atol=1e-4)


def _only(part: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor], bool]:
    """Whether the two agree in one part, and nowhere else need to."""

    def holds(expected: Tensor, got: Tensor) -> bool:
        if got.shape != expected.shape or expected.dim() < 2 or expected.shape[-2] < 2:
            return False
        return same(part(expected), part(got))

    return holds


def _square(part: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor], bool]:
    def holds(expected: Tensor, got: Tensor) -> bool:
        if expected.dim() < 2 or expected.shape[-1] != expected.shape[-2] or got.shape != expected.shape:
            return False
        return same(part(expected), part(got))

    return holds


def _shifted(expected: Tensor, got: Tensor) -> bool:
    if got.shape != expected.shape or got.numel() < 2:
        return False
    off = got.double() - expected.double()
    return same(off.flatten()[0].expand_as(off), off)


_FEATURES: tuple[tuple[str, Callable[[Tensor, Tensor], bool]], ...] = (
    ("Every number is off by the same amount.", _shifted),
    ("Columns sum to one where rows should.", lambda e, g: _sums(-2)(e, g) and _rows_do_not_sum_to_one(e, g)),
    (
        "All entries together sum to one, where each row should.",
        lambda e, g: _all_sum_to_one(e, g) and _rows_do_not_sum_to_one(e, g),
    ),
    ("Rows do not sum to one, and they should.", _rows_do_not_sum_to_one),
    ("Rows sum to one, and they should not.", _sums(-1)),
    ("All rows but the last are right.", _only(lambda t: t[..., :-1, :])),
    ("All rows but the first are right.", _only(lambda t: t[..., 1:, :])),
    ("Only the first row is right.", _only(lambda t: t[..., 0, :])),
    ("Only the diagonal is right.", _square(lambda t: t.diagonal(dim1=-2, dim2=-1))),
    ("On the diagonal and above it all is right, below it is not.", _square(torch.triu)),
    ("On the diagonal and below it all is right, above it is not.", _square(torch.tril)),
)
