"""``stagegrade bench attribution``: a small sample of it, and that it sees what is got wrong."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from stagegrade.bench._attribution import NoCorrectCode, attribution
from stagegrade.bench._sample import Sample
from stagegrade.bench._samples import samples
from stagegrade.bench._student_code import module_with
from stagegrade.bench.slips._slip import NotWritten
from stagegrade.pipelines import find, names
from tests.commands import environment, run


@pytest.fixture(scope="module")
def every() -> Sequence[Sample]:
    return [sample for name in names() for sample in samples(find(name))]


def test_every_mistake_of_the_catalogue_is_written_down(every: Sequence[Sample]) -> None:
    """A mistake that no code makes would be counted as one that is always found."""
    written = {(sample.pipeline, *one) for sample in every for reading in sample.readings for one in reading}
    known = {(name, m.stage, m.name) for name in names() for m in find(name).mistakes}
    assert set() == known - written


def test_what_cannot_be_written_is_an_error_and_not_right_code() -> None:
    """A new stage or family would be measured as code without a mistake, or end in a KeyError that says nothing."""
    with pytest.raises(ValueError, match="no forward is written with a stage masking: add it to STEPS"):
        module_with("one forward", {"masking": "no-mask"})
    with pytest.raises(NotWritten, match="softmax: keys-two is written down, but not where this stage looks"):
        module_with("one forward", {"softmax": "keys-two"})


def test_a_mistake_in_forward_is_written_in_several_styles(every: Sequence[Sample]) -> None:
    """The figures would be of one way of writing, and students have many."""
    inside = [stage.name for stage in find("self_attention").inside]
    styles: dict[tuple[str, str], set[str]] = {}
    for sample in every:
        for wrong in [one for reading in sample.readings for one in reading]:
            if sample.pipeline == "self_attention" and wrong[0] in inside:
                styles.setdefault(wrong, set()).add(sample.style)
    assert 5 <= sum(map(len, styles.values())) / len(styles)


def test_a_small_sample_names_the_right_stages_and_mistakes() -> None:
    """A change to the diagnosis would send students to the wrong stage, and nobody would see it before they do."""
    found = attribution(most_samples=30, most_pairs=6)
    assert [] == found.complaints
    assert found.mistakes is not None
    assert found.pairs is not None
    assert (30, 6) == (found.mistakes.named, found.pairs.named)


RIGHT = """\
def scale(scores, keys):
    return scores * keys.shape[-1] ** -0.5
"""


def test_the_command_prints_what_it_measured(tmp_path: Path) -> None:
    """Nobody could hold the figures in the documents against a machine of their own."""
    (tmp_path / "correct" / "query_key_value").mkdir(parents=True)
    (tmp_path / "correct" / "query_key_value" / "times_a_power.py").write_text(RIGHT)
    done = run(
        *(
            "stagegrade",
            "bench",
            "attribution",
            "--samples=0",
            "--pairs=0",
            "--jobs=1",
            "--correct=correct",
            "--json",
        ),
        cwd=tmp_path,
        env=environment(tmp_path / "home"),
        status=None,
    )
    found = json.loads(done.stdout)
    assert (1, [], None) == (found["correct"]["stage_right"], found["complaints"], found["pairs"])
    assert "" == done.stderr


WRONG = """\
def scale(scores, keys):
    return scores / keys.shape[-1]
"""


def test_what_is_blamed_is_told(tmp_path: Path) -> None:
    """The benchmark would say that all is well whatever the judge did."""
    (tmp_path / "query_key_value").mkdir()
    (tmp_path / "query_key_value" / "divides.py").write_text(WRONG)
    found = attribution(most_samples=0, most_pairs=0, correct=tmp_path)
    assert not found.holds
    (complaint,) = found.complaints
    assert complaint.startswith("query_key_value, divides, ")
    assert "first divergence scaling (scaling divides-by-d_k or scaled-twice)" in complaint


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (None, "holds no file"),
        ("nothing_of_ours/a.py", "no assignment is called nothing_of_ours"),
        ("query_key_value/a.py", "defines none of project, second_score"),
    ],
    ids=["none", "no assignment", "no stage"],
)
def test_a_folder_without_correct_code_is_refused(tmp_path: Path, file: str | None, said: str) -> None:
    """Nothing would be judged, and nothing be got wrong."""
    if file is not None:
        path = tmp_path / file
        path.parent.mkdir()
        path.write_text("def helper():\n    return 1\n")
    with pytest.raises(NoCorrectCode, match=said):
        attribution(most_samples=0, most_pairs=0, correct=tmp_path)
