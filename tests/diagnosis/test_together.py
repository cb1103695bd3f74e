"""Several mistakes in one ``forward`` of which nothing was seen."""

import pytest
from torch import Tensor

from stagegrade.diagnosis import Answered, Failed, Outcome
from stagegrade.diagnosis._together import Combinations, combinations_of
from stagegrade.pipelines import Mistake, find

PIPELINE = find("self_attention")
KNOWN = {(mistake.stage, mistake.name): mistake for mistake in PIPELINE.mistakes}

SETS = [
    [("scaling", "divides-by-n")],
    [("projection", "keys-made-with-W_query"), ("softmax", "sigmoid")],
    [("scores", "keys-by-queries"), ("scaling", "scaled-after-softmax"), ("context", "weights-by-keys")],
    [("scores", "no-transpose")],
]


@pytest.fixture(scope="module")
def combinations() -> Combinations:
    return combinations_of(PIPELINE)


def outcome_of(mistakes: list[Mistake], known: Combinations) -> Outcome:
    """What ``forward`` gives, or raises, with these mistakes."""
    try:
        value = PIPELINE.run(known.case, mistakes, until="context")["context"]
    except RuntimeError as error:
        return Failed(error=type(error).__name__, message=str(error))
    return Answered(value)


@pytest.mark.parametrize("names", SETS, ids=lambda names: " and ".join(name for _, name in names))
def test_what_mistakes_lead_to_leads_back_to_them(
    names: list[tuple[str, str]], combinations: Combinations
) -> None:
    """Code of which only the output is seen would be told that something is wrong, and not what."""
    mistakes = [KNOWN[name] for name in names]
    found = combinations.leading_to(outcome_of(mistakes, combinations))
    assert tuple(mistakes) in found
    assert len(found[0]) <= len(mistakes)


def test_combinations_are_computed_once(combinations: Combinations) -> None:
    """Every notebook with an odd ``forward`` would wait half a second for the same numbers."""
    assert combinations is combinations_of(PIPELINE)


def test_no_combination_leads_to_what_none_gives(combinations: Combinations) -> None:
    """A student would be told a mistake that was not made."""
    right = PIPELINE.run(combinations.case, until="context")["context"]
    assert isinstance(right, Tensor)
    assert [] == combinations.leading_to(Answered(1.7 * right))
