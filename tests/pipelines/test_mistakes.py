"""The catalogue of mistakes: each one wrong somewhere, told well, and mostly told from the others."""

import re
from collections import Counter

import pytest
import torch
from torch import Tensor

from stagegrade.pipelines import Catalogue, Value, cases, mistakes
from tests.pipelines.outcomes import (
    PIPELINES,
    SEEDS,
    STAGES,
    alone,
    alternatives,
    alternatives_in_forward,
    asked,
    forward,
    right,
    same,
    same_everywhere,
)

CATALOGUES = [made for made in vars(mistakes).values() if isinstance(made, Catalogue)]
# Code that would be the answer, or the heart of it.
ANSWERS = (
    *("inputs[1]", "keys[1]", "keys.T", "transpose(", "shape[-1]", "dim=-1", "keepdim=True", "softmax("),
    *(
        "** 0.5",
        "**0.5",
        "√",
        "sqrt(",
        " @ ",
        "torch.dot",
        "nn.Parameter(",
        "super()",
        "(n, d_out)",
        "allclose",
    ),
)
HARSH = re.compile(
    r"\b(obvious\w*|simply|just|careless\w*|silly|stupid|of course|you should have|failed to)\b"
)

each_stage = pytest.mark.parametrize(
    ("pipeline", "stage"), STAGES, ids=[f"{pipeline.name}-{stage.name}" for pipeline, stage in STAGES]
)
each_forward_stage = pytest.mark.parametrize(
    ("pipeline", "stage"),
    [(pipeline, stage) for pipeline, stage in STAGES if stage.of == "forward"],
    ids=lambda value: value.name,
)
each_catalogue = pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.stage)


@each_stage
def test_every_mistake_differs_from_the_reference_whatever_the_seed(pipeline, stage):
    """A student with this mistake would get full marks on some seeds."""
    for seed in SEEDS:
        traces = [trace for _, trace in asked(pipeline, stage, (seed,))]
        expected = [right(stage, trace) for trace in traces]
        outputs = {m.name: [alone(stage, m, trace) for trace in traces] for m in pipeline.mistakes_of(stage)}
        assert [] == [name for name, output in outputs.items() if same_everywhere(expected, output)], seed


@each_forward_stage
def test_every_mistake_in_forward_shows_in_what_it_returns(pipeline, stage):
    """The mistake could never be noticed, because nothing but the output of `forward` is asked for."""
    for seed in SEEDS:
        drawn = cases(pipeline, seed)
        expected = [forward(pipeline, None, case) for case in drawn]
        outputs = {
            m.name: [forward(pipeline, m, case) for case in drawn] for m in pipeline.mistakes_of(stage)
        }
        assert [] == [name for name, output in outputs.items() if same_everywhere(expected, output)], seed


def clone(value: Value) -> Value:
    return value.clone() if isinstance(value, Tensor) else value


@each_stage
def test_no_variant_changes_what_it_is_given(pipeline, stage):
    """One mistake tried would spoil the inputs for the next, and a right student would be blamed."""
    changed = []
    for _, trace in asked(pipeline, stage):
        before = {name: clone(value) for name, value in trace.items()}
        for mistake in pipeline.mistakes_of(stage):
            alone(stage, mistake, trace)
            if not all(same(value, trace[name]) for name, value in before.items()):
                changed.append(mistake.name)
    assert [] == changed


def test_no_variant_changes_the_worked_example_it_reaches_for():
    """What a function finds outside its arguments would depend on the mistakes tried before."""
    for pipeline, stage in STAGES:
        for _, trace in asked(pipeline, stage):
            for mistake in pipeline.mistakes_of(stage):
                alone(stage, mistake, trace)
    reached = [
        vars(mistake.variant).get("_globals", {}) for p in PIPELINES.values() for mistake in p.mistakes
    ]
    kept = {**mistakes.worked_tensors_without_weights(), **mistakes.worked_tensors()}
    assert any(reached)
    for found in reached:
        changed = [name for name, value in found.items() if value.shape == kept[name].shape]
        assert [] == [name for name in changed if not torch.equal(kept[name], found[name])]


@each_stage
def test_a_variant_gives_the_same_twice(pipeline, stage):
    """A mistake could be recognised in one run and not in the next."""
    for _, trace in asked(pipeline, stage, SEEDS[:1]):
        first = {m.name: alone(stage, m, trace) for m in pipeline.mistakes_of(stage)}
        again = {m.name: alone(stage, m, trace) for m in pipeline.mistakes_of(stage)}
        assert [] == [name for name, output in first.items() if not same(output, again[name])]


@each_stage
def test_a_function_is_blamed_only_for_what_it_could_read(pipeline, stage):
    """A mistake would be listed that no code with the stage's arguments can make."""
    if stage.of != "function":
        return
    for mistake in pipeline.mistakes_of(stage):
        read = {stage.aliases.get(name, name) for name in mistake.parameters} - {"reference"}
        assert set() == read - set(stage.reads), mistake.name


@each_stage
def test_a_mistake_reads_only_what_is_there_before_its_stage(pipeline, stage):
    """The variant would ask a trace for a value that is computed only later, and raise KeyError."""
    case, trace = asked(pipeline, stage)[1]
    before = set(case.inputs) | {
        name for earlier in pipeline.stages[: pipeline.stages.index(stage)] for name in earlier.gives
    }
    assert before <= set(trace)
    for mistake in pipeline.mistakes_of(stage):
        read = {stage.aliases.get(name, name) for name in mistake.parameters} - {"reference"}
        assert set() == read - before, mistake.name


@each_stage
def test_names_are_unique_in_a_stage(pipeline, stage):
    """A verdict would name two mistakes at once."""
    counts = Counter(mistake.name for mistake in pipeline.mistakes_of(stage))
    assert {} == {name: count for name, count in counts.items() if count > 1}


@each_stage
def test_every_asked_stage_has_mistakes(pipeline, stage):
    """A whole stage would be graded without one reason to give."""
    assert len(pipeline.mistakes_of(stage)) >= 5


def test_a_name_means_one_mistake_in_the_whole_catalogue():
    """Two places would tell different things under one name."""
    counts = Counter(mistake.name for catalogue in CATALOGUES for mistake in catalogue)
    assert {} == {name: count for name, count in counts.items() if count > 1}


def test_there_are_ninety_mistakes_and_every_one_is_used():
    """The catalogue would be thinner than promised, or hold mistakes that no assignment can find."""
    made = {mistake.name for catalogue in CATALOGUES for mistake in catalogue}
    used = {mistake.name for pipeline in PIPELINES.values() for mistake in pipeline.mistakes}
    assert len(used) >= 90
    assert set() == made - used


@each_catalogue
def test_names_are_kebab_case(catalogue):
    """Names could not be typed, linked or sorted alike; W_query and d_k keep their own spelling."""
    wrong = [m.name for m in catalogue if not re.fullmatch(r"[a-zA-Z0-9_]+(-[a-zA-Z0-9_]+)*", m.name)]
    assert [] == wrong


@each_catalogue
def test_texts_are_single_plain_sentences(catalogue):
    """A student would read a fragment, a sermon or a scolding."""
    for mistake in catalogue:
        for said in (mistake.sees, mistake.why, mistake.hint):
            assert re.fullmatch(r"[A-Z][^\n]{20,240}[.?]", said), said
            assert [] == re.findall(r"[.!?] [A-Z]|!|  |`", said), said
            assert [] == HARSH.findall(said.lower()), said


@each_catalogue
def test_no_text_is_used_twice(catalogue):
    """A student would be sent to look in the same place for two different mistakes."""
    counts = Counter(said for m in catalogue for said in (m.sees, m.why))
    assert {} == {said: count for said, count in counts.items() if count > 1}


@each_stage
def test_hints_do_not_give_the_answer_away(pipeline, stage):
    """The hint would be the solution, and nothing would be left to find."""
    formulas = [stage.formula, *(part for part in stage.formula.split(", ") if not part.isidentifier())]
    if stage.name == "first_failures":
        formulas = [stage.formula]
    for mistake in pipeline.mistakes_of(stage):
        given_away = [answer for answer in (*formulas, *ANSWERS) if answer in mistake.hint]
        assert [] == given_away, mistake.name


@each_stage
def test_few_mistakes_of_a_stage_cannot_be_told_apart(pipeline, stage, record_property):
    """Verdicts would name a choice of mistakes where they should name one."""
    groups = alternatives(pipeline, stage)
    record_property("alternatives", groups)
    assert len(groups) <= 2
    assert all(len(group) <= 4 for group in groups)


def test_in_forward_mistakes_share_an_output_only_in_pairs(record_property):
    """A mistake in `forward` would come with a list of others in place of a reason."""
    (pipeline,) = [p for p in PIPELINES.values() if p.module]
    groups = alternatives_in_forward(pipeline)
    record_property("alternatives", groups)
    # All that raise on every case, where nothing but the error is left to compare.
    always_raise = [group for group in groups if "scores: no-transpose" in group]
    assert 1 == len(always_raise)
    assert all(len(group) == 2 for group in groups if group not in always_raise)
