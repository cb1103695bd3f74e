"""The verdict panel, which stands under grade cells in viewers that strip what they do not trust."""

import re
from typing import Any

import nh3
import pytest

from stagegrade.report import explanation, panel
from stagegrade.report._markup import STYLES
from stagegrade.report._verdicts import LOOKS, TONES
from tests.report.records import STAGES, broken, diverging, record, row
from tests.report.words import words

# What a code host's notebook view lets through: these elements, and neither styles nor scripts.
CODE_HOST = {
    "p",
    "strong",
    "code",
    "ul",
    "li",
    "table",
    "tr",
    "th",
    "td",
    "br",
    "small",
    "span",
    "div",
    "section",
}
SMALLEST = {
    "inputs": {"scores": [2.0, 3.0], "d_k": 4},
    "expected": [1.0, 1.5],
    "got": [0.5, 1.5],
    "line": "2 / √4 = 1, and yours is 2 / 4 = 0.5",
}


def every_panel() -> list[dict[str, str]]:
    whole = broken()
    panels = [panel(r, whole) for r in whole["stages"]]
    for verdict in LOOKS:
        one = row(verdict=verdict) if verdict != "carried" else row(carried=True)
        panels.append(panel(one, record(one)))
    panels.append(panel(diverging(smallest=SMALLEST), broken(smallest=SMALLEST)))
    return panels


def test_the_picture_shows_where_the_pipeline_broke() -> None:
    """A student could not see that softmax only carries what scaling got wrong."""
    whole = broken()
    text = panel(whole["stages"][2], whole)["text/plain"]
    assert "✓ projection → ✓ scores → [✗ scaling] → ↓ softmax → ! context" in text
    assert "start here. Its checkpoint: scaling step." in text


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (3, "Right for right inputs."),
        (4, "An earlier stage, scaling, comes first: mend that one before this."),
    ],
)
def test_a_later_stage_points_to_the_first_divergence(stage: int, said: str) -> None:
    """A student would begin to mend a stage that is right, or the second of two errors."""
    whole = broken()
    assert said in panel(whole["stages"][stage], whole)["text/plain"]


def test_numbers_stand_beside_the_expected_ones_with_the_difference_marked() -> None:
    """A student would have to find the wrong entry among the right ones."""
    shown = panel(diverging())
    assert (
        "    expected  0.8984  1.3098  1.2806\n    yours     0.6352* 1.3098  0.9056*" in shown["text/plain"]
    )
    assert ["≠ 0.6352", "≠ 0.9056"] == re.findall(r"≠ [\d.]+", words(shown["text/html"]))


def test_the_smallest_case_takes_the_place_of_the_judges_own() -> None:
    """A student would be shown a tensor of fifty numbers where two show the same."""
    text = panel(diverging(smallest=SMALLEST))["text/plain"]
    for line in ("scores = [2, 3]", "d_k = 4", "expected       1  1.5000", "yours     0.5000* 1.5000"):
        assert line in text
    assert "Worked: 2 / √4 = 1, and yours is 2 / 4 = 0.5" in text
    assert "1.2806" not in text


def test_a_hint_is_given_once_and_last() -> None:
    """The next step would be lost in the middle of the explanation, or be read twice."""
    text = panel(diverging())["text/plain"]
    assert 1 == text.count("Evaluate the divisor")
    assert "Known mistake: divides-by-d_k" in text
    assert "Check next: Evaluate the divisor for `d_k` of nine." in text


def test_a_hint_in_the_middle_of_a_message_is_given_once_too() -> None:
    """Of a mistake that raises, the error's own words come after the hint."""
    one = row(
        verdict="raised",
        message="Sizes clash. Print both. It raised E: no.",
        evidence={"hint": "Print both."},
    )
    assert 1 == panel(one)["text/plain"].count("Print both.")


@pytest.mark.parametrize("verdict", [v for v in LOOKS if v not in ("correct", "carried")])
def test_every_verdict_but_right_says_what_to_check_next(verdict: str) -> None:
    """A message without a next step leaves a student where they were."""
    text = panel(row(verdict=verdict), record(row(verdict=verdict)))["text/plain"]
    assert re.search(r"Check next: \w.+\.", text)


def test_the_text_holds_all_that_the_html_does() -> None:
    """On a terminal, or with a screen reader's plain view, something would be missing."""
    for shown in every_panel():
        text = set(re.findall(r"[\w.√]+", shown["text/plain"]))
        html = set(re.findall(r"[\w.√]+", words(shown["text/html"]).replace("≠", "")))
        assert set() == html - text - {"yours", "expected"}


def test_the_html_reads_the_same_when_styles_are_stripped() -> None:
    """On a code host's notebook view the panel would lose its meaning, or show its own tags."""
    for shown in every_panel():
        bare = nh3.clean(shown["text/html"], tags=CODE_HOST, attributes={})
        assert "style" not in bare
        assert words(shown["text/html"]) == words(bare)


def test_the_html_needs_nothing_from_elsewhere() -> None:
    """It would be blank offline, or refused by a viewer that runs no scripts."""
    for shown in every_panel():
        assert not re.search(
            r"<(script|style|link|img|svg|iframe)|https?:|\bon\w+=|\b(class|id)=", shown["text/html"]
        )


def test_what_a_student_wrote_is_text_and_no_markup() -> None:
    """An error message with a tag in it would run in the instructor's browser."""
    evil = "<img src=x onerror=alert(1)>"
    one = diverging(expected=evil, got=evil, hint=evil, detail=evil, alternatives=[evil], value=evil)
    one |= {"stage": evil, "mistake": evil, "message": evil}
    smallest = {"inputs": {evil: evil}, "expected": evil, "got": [evil], "line": evil}
    for shown in (panel(one, record(one)), panel(one | {"evidence": {"smallest": smallest}})):
        assert "<img" not in shown["text/html"]


def contrast(color: str, other: str) -> float:
    """The WCAG contrast ratio of two colours of the form #rrggbb."""

    def luminance(c: str) -> float:
        parts = [int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(color), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tone", TONES)
@pytest.mark.parametrize("background", ["#ffffff", "#111111"])
def test_lines_can_be_seen_in_light_and_dark(tone: str, background: str) -> None:
    """WCAG 2.2 asks 3:1 of what is not text."""
    assert 3 <= contrast(TONES[tone], background)


def test_no_two_verdicts_share_a_mark() -> None:
    """Without colour, and on a terminal, they could not be told apart."""
    marks: list[Any] = [look.mark for look in LOOKS.values()]
    assert len(set(marks)) == len(marks)


def test_the_form_stands_beside_numbers_that_look_the_same() -> None:
    """A student would read equal numbers under "expected" and "yours"."""
    smallest = {
        **SMALLEST,
        "expected": [0],
        "got": [[0]],
        "form": "expected shape (1,), yours is shape (1, 1)",
    }
    one = diverging(smallest=smallest)
    assert all("expected shape (1,), yours is shape (1, 1)." in shown for shown in panel(one).values())


def test_why_a_notebook_could_not_be_read_is_said_once() -> None:
    """A student would read the same long sentence under each of six stages."""
    reason = "qkv.ipynb: it is not JSON, which every notebook is, but a picture (JPEG)."
    whole = record(
        *(row(stage, "not_reached", message="Not reached: qkv.ipynb could not be read.") for stage in STAGES),
        status="unreadable",
        first_divergence=None,
        flags=[reason],
    )
    shown = [panel(one, whole)["text/plain"] for one in whole["stages"]]
    assert 1 == sum(reason in text for text in shown)
    assert 0 == sum("Check next:" in text for text in shown), "the reason says itself what to do"
    assert 1 == explanation(whole).count(reason)
    assert "Check next" not in explanation(whole)


def test_the_styles_are_those_that_our_own_pages_let_through() -> None:
    """In formgrader and in feedback a style that is taken away would leave half of a layout."""
    allowed = set(STYLES.split())
    for shown in every_panel():
        used = {
            part.partition(":")[0].strip()
            for style in re.findall(r"style=[\"']([^\"']*)", shown["text/html"])
            for part in style.split(";")
            if part
        }
        assert set() == used - allowed
