"""Every mistake of the catalogue in every style that has it, as code to be judged."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from stagegrade.bench import slips
from stagegrade.bench._sample import Sample, Wrong
from stagegrade.bench._student_code import (
    FORWARD_STYLES,
    FUNCTION_STYLES,
    IMPORTS,
    STEPS,
    function_with,
    module_holding,
    module_with,
    pick,
    views_of,
    whole_attention,
)
from stagegrade.bench.slips._slip import Slips, slip_of
from stagegrade.pipelines import Mistake, Pipeline, Stage

# What a notebook has at hand when its functions are called, and what a slip of a name takes.
_WORKED = """\
inputs = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
torch.manual_seed(123)
W_query, W_key, W_value = torch.rand(3, 2), torch.rand(3, 2), torch.rand(3, 2)
"""
_ONE_QUERY = (
    _WORKED
    + """\
query, keys, values = inputs[1] @ W_query, inputs @ W_key, inputs @ W_value
scores = query @ keys.T
scaled = scores / 2**0.5
"""
)
_NO_WEIGHTS = (
    _WORKED
    + """\
keys = values = inputs
scores = inputs @ inputs.T
"""
)
_SECOND_KEY = "token = keys[1]"

# By pipeline and stage: the lines that give values the catalogue's names, and whether one query is asked or all.
_NAMED: Mapping[tuple[str, str], str] = {
    ("simplified_attention", "scores"): "keys = inputs",
    ("simplified_attention", "score_matrix"): "query = keys = inputs",
    ("simplified_attention", "softmax"): "scaled = score_matrix",
    ("simplified_attention", "context"): "values = inputs",
    ("find_the_divergence", "scaling_step"): "scores = query @ keys.T",
}
_ALL_QUERIES = {
    ("simplified_attention", "score_matrix"),
    ("simplified_attention", "softmax"),
    ("simplified_attention", "context"),
}
# What has no tensor for NumPy to compute with, though it may be asked with other values.
_WITHOUT_TENSORS = {**slips.SHAPE_PREDICTION, **slips.WEIGHT_KINDS, **slips.FIRST_FAILURES}
_SLIPS: Slips = {
    name: slip
    for family in slips.__all__
    if family != "PARAMETERS"
    for name, slip in getattr(slips, family).items()
}
_WRITTEN = frozenset(_SLIPS) | frozenset(slips.PARAMETERS)
"""What the catalogue has beyond these gets no sample."""


def samples(pipeline: Pipeline) -> list[Sample]:
    """Each mistake of a pipeline in each style. Where two slips come to the same text, they are one sample."""
    by_text: dict[tuple[str, ...], Sample] = {}
    for stage in pipeline.asked:
        for mistake in [one for one in pipeline.mistakes_of(stage) if one.name in _WRITTEN]:
            for style, code in _codes(pipeline, stage, mistake):
                wrong = ((stage.name, mistake.name),)
                made = Sample(
                    pipeline=pipeline.name,
                    readings=(wrong, *(_with_detached(wrong, style) if stage.of == "forward" else ())),
                    style=style,
                    code=code,
                    functions=_handed(pipeline, stage),
                )
                known = by_text.setdefault((*made.functions, text_of(code)), made)
                if known is not made:
                    both = (*known.readings, *made.readings)
                    by_text[(*made.functions, text_of(code))] = replace(known, readings=both)
    return list(by_text.values())


def text_of(code: str) -> str:
    """The code without what makes no difference, such as parentheses around a name."""
    return ast.dump(ast.parse(code))


def module_sample(pipeline: Pipeline, wrong: Wrong, style: str) -> Sample | None:
    """Mistakes of different stages in one ``forward``; ``None`` where the style lacks one of them."""
    code = module_with(style, dict(wrong)) if all(name in _WRITTEN for _, name in wrong) else None
    if code is None:
        return None
    readings = (wrong, *_with_detached(wrong, style))
    functions = _in_module(pipeline)
    return Sample(pipeline=pipeline.name, readings=readings, style=style, code=code, functions=functions)


def _with_detached(wrong: Wrong, style: str) -> Iterator[Wrong]:
    """What else is wrong: no gradient gets through NumPy, and where the output is right that is held against it."""
    if style == "NumPy":
        yield (("parameters", "detached-weights"), *wrong)


def _in_module(pipeline: Pipeline) -> Mapping[str, str]:
    return {s.name: "SelfAttention_v1" for s in pipeline.stages if s.of in ("parameters", "forward")}


def _handed(pipeline: Pipeline, stage: Stage) -> Mapping[str, str]:
    return {stage.name: "answer"} if stage.of == "function" else _in_module(pipeline)


def _codes(pipeline: Pipeline, stage: Stage, mistake: Mistake) -> Iterator[tuple[str, str]]:
    """The code of a mistake by style."""
    if stage.of == "parameters":
        for number, held in enumerate(slip_of(stage.name, mistake.name, slips.PARAMETERS), start=1):
            yield f"way {number}", module_holding(held)
    elif stage.of == "forward":
        for style in FORWARD_STYLES:
            code = module_with(style, {stage.name: mistake.name})
            if code is not None:
                yield style, code
    elif mistake.name in slips.RETURNED:
        yield "plain", f"{IMPORTS}\n\n" + function_with("answer", stage.reads, "", "out = None")
    else:
        yield from _function_codes(pipeline, stage, mistake)


def _function_codes(pipeline: Pipeline, stage: Stage, mistake: Mistake) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for style, manners in FUNCTION_STYLES.items():
        one = (pipeline.name, stage.name) not in _ALL_QUERIES
        fitting = [m for m in manners if m not in (("einsum", "loops") if one else ("einsum1", "loops1"))]
        before = _NAMED.get((pipeline.name, stage.name), "")
        numpy = style == "NumPy"
        step: str | None
        if set(stage.gives) & {"query", "keys"}:
            step = None if style == "loops" else _projected(stage, mistake.name, style)
        elif stage.name == "softmax_axis":
            step = None if numpy else _whole(mistake.name, style)
        elif numpy and mistake.name in _WITHOUT_TENSORS:
            step = None
        else:
            before = _SECOND_KEY if stage.name == "key_index" else before
            step = pick(slip_of(stage.name, mistake.name, _SLIPS), fitting)
            if step is not None:
                step = step.replace("ROWS", "inputs[1]" if one else "inputs")
        if step is None or (step in seen and not numpy):
            continue
        seen.add(step)
        setup = _NO_WEIGHTS if pipeline.name == "simplified_attention" else _ONE_QUERY
        if numpy:
            setup += _AS_ARRAYS
        body = function_with("answer", stage.reads, before, step, numpy=numpy, several=len(stage.gives) > 1)
        yield style, f"{IMPORTS}\n\n{setup}\n\n{body}"


_AS_ARRAYS = """\
for _name, _value in list(globals().items()):
    if isinstance(_value, torch.Tensor):
        globals()[_name] = _value.numpy()
"""


def _projected(stage: Stage, mistake: str, style: str) -> str:
    views = views_of(mistake, "inputs[1]", style)
    if len(stage.gives) == 1:
        return f"out = {views[0]}\n"
    return f"out = ({', '.join(views)})\n"


def _whole(mistake: str, style: str) -> str | None:
    """All steps in one function, one of them wrong."""
    steps = {name: step for step, _, known in STEPS for name in known}
    step = slip_of("softmax_axis", mistake, steps)
    lines = whole_attention("one forward" if style == "plain" else style, {step: mistake})
    if lines is None:
        return None
    views = "query, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value"
    return "\n".join([views, *lines, "out = context"])
