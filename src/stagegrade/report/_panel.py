"""The verdict panel: what stands under a grade cell, made by the trusted side alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from stagegrade.report._pipeline import legend, strip_html, strip_text
from stagegrade.report._values import grid_of, side_by_side, tables, text_of
from stagegrade.report._verdicts import TONES, is_right, look_of, points_of

NEXT: Mapping[str, str] = {
    "raised": "Run the stage's own check in your notebook; the last line of its traceback says what went wrong.",
    "missing": "Write it in its cell, under the name that the notebook gives it; then restart and run all cells.",
    "timed_out": "Look for a loop whose end is never reached, and try the stage on the worked example alone.",
    "out_of_memory": "Look for a tensor that grows in a loop, or for two sizes that were multiplied.",
    "lost": "Look for a call that ends Python, such as exit(), in this stage or in what it calls.",
    "not_reached": "Mend what stopped it; this stage is tested after that.",
}
BY_DIFFERENCE: Mapping[str, str] = {
    "type": "Print the type of what your function returns, and hold it against its docstring.",
    "length": "Count what your function returns, and hold it against its docstring.",
    "shape": "Print the shape of what your function returns, and hold it against its docstring.",
    "value": "Work out one of the marked numbers by hand from the inputs, and see at which step yours parts from it.",
}

UNEXPLAINED = "It differs from what is expected, in a way that no known mistake explains."
SEEN: Mapping[str, str] = {
    "worked": "Seen on the worked example.",
    "rectangular": "Seen on random inputs whose sizes all differ (seed {seed}).",
    "batched": "Seen on a batch of random inputs (seed {seed}).",
    "large": "Seen on random inputs of large numbers (seed {seed}).",
}
# An expected value that takes more than this to write, and is no table of numbers, says nothing beside an error.
MOST_WORDS = 80


def panel(row: Mapping[str, Any], record: Mapping[str, Any] | None = None) -> dict[str, str]:
    """A stage's row of a record, as ``text/plain`` (complete) and ``text/html`` (the same, laid out).

    ``record`` is the whole notebook's, which the row is one of; without it the panel says nothing of the other
    stages. The HTML has inline styles and no more, keeps its meaning where those are taken away, and takes its
    colours from what is around it.
    """
    parts = list(_parts(row, record))
    text = "\n".join(line for part in parts for line in part.text)
    tone = TONES[look_of(row).tone]
    html = (
        f'<section style="border:1px solid #8a8a8a;border-left:8px solid {tone};border-radius:4px;'
        'padding:10px 16px;margin:6px 0;max-width:860px;line-height:1.5">'
        f"{''.join(part.html for part in parts)}</section>"
    )
    return {"text/plain": text, "text/html": html}


class _Part:
    """One thing that a panel says, both ways."""

    def __init__(self, text: str | Sequence[str], html: str) -> None:
        lines = [text] if isinstance(text, str) else text
        self.text = [f"  {line}" for line in lines]
        self.html = html


class _Title(_Part):
    def __init__(self, text: str, html: str) -> None:
        super().__init__((), html)
        self.text = [text]


def _paragraph(text: str, label: str = "", small: bool = False) -> _Part:
    named = f"<strong>{escape(label)}</strong> " if label else ""
    said = named + coded(text)
    if small:
        said = f"<small>{said}</small>"
    return _Part(f"{label} {text}".strip(), f'<p style="margin:4px 0">{said}</p>')


def _next(text: str) -> _Part:
    return _Part(
        f"Check next: {text}",
        '<p style="margin:8px 0 4px 0;padding:6px 0 0 0;border-top:1px solid #8a8a8a">'
        f"<strong>Check next:</strong> {coded(text)}</p>",
    )


def coded(text: str) -> str:
    """Text as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _parts(row: Mapping[str, Any], record: Mapping[str, Any] | None) -> Iterator[_Part]:
    evidence: Mapping[str, Any] = row["evidence"] or {}
    yield _title(row)
    if record is not None and record["status"] == "unreadable":
        yield _paragraph(said_of(row))
        if row is record["stages"][0] and record["flags"]:
            # The reason is the whole notebook's, and said once.
            yield _paragraph(str(record["flags"][0]))
        return
    if record is not None and not all(is_right(r) for r in record["stages"]):
        yield from _place(row, record)
    said = said_of(row)
    if said and said != "Right.":
        yield _paragraph(said)
    yield from _names(row, evidence)
    yield from _numbers(evidence)
    if not is_right(row):
        yield _next(next_check(row))
    foot = [str(evidence.get("where", "")), _case(row["case"]) if row["case"] else ""]
    if any(foot):
        yield _paragraph(" ".join(filter(None, foot)), small=True)


def _title(row: Mapping[str, Any]) -> _Part:
    look = look_of(row)
    points = points_of(row["points"], row["max_points"])
    stage = str(row["stage"])
    return _Title(
        f"{look.mark} {stage}: {look.title} ({points})",
        f'<p style="margin:0 0 6px 0"><strong style="font-size:115%">{look.mark} {escape(stage)}: {look.title}'
        f"</strong> ({points})</p>",
    )


def _place(row: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[_Part]:
    """Where in the pipeline this is, and what that means for what to mend first."""
    rows, stage, first = record["stages"], row["stage"], record["first_divergence"]
    marks = legend(rows)
    yield _Part(
        [strip_text(rows, stage), f"({marks})"],
        f'<p style="margin:4px 0">{strip_html(rows, stage)}<br><small>{escape(marks)}</small></p>',
    )
    if first == stage:
        checkpoint = f" Its checkpoint: {record['checkpoint']}." if record["checkpoint"] else ""
        begins = "to diverge" if row["verdict"] == "diverges" else "that is not right"
        yield _paragraph(f"This is the first stage {begins}: start here.{checkpoint}")
    elif first is not None and not is_right(row):
        yield _paragraph(f"An earlier stage, {first}, comes first: mend that one before this.")


def said_of(row: Mapping[str, Any]) -> str:
    """The row's message, less what the panel says in a place of its own: the numbers, the hint, the cell."""
    evidence = row["evidence"] or {}
    message = str(row["message"]).removesuffix(str(evidence.get("where", ""))).strip()
    if evidence.get("described"):
        return str(evidence["described"])
    if evidence.get("expected") and f"expected {evidence['expected']}" in message:
        return UNEXPLAINED
    hint = str(evidence.get("hint", ""))
    return " ".join(message.replace(hint, " ", 1).split()) if hint else message


def first_sentence(text: str, limit: int = 90) -> str:
    sentence = text.split(". ", maxsplit=1)[0]
    return sentence if len(sentence) <= limit else sentence[: limit - 1] + "…"


def _names(row: Mapping[str, Any], evidence: Mapping[str, Any]) -> Iterator[_Part]:
    if row["mistake"]:
        name = str(row["mistake"])
        yield _Part(
            f"Known mistake: {name}",
            f'<p style="margin:4px 0"><strong>Known mistake:</strong> <code>{escape(name)}</code></p>',
        )
    names = [str(name) for name in evidence.get("alternatives", ())]
    if names and not all(name in said_of(row) for name in names):
        coded = " or ".join(f"<code>{escape(name)}</code>" for name in names)
        label = "Could also be:" if row["mistake"] else "Known mistakes that fit:"
        yield _Part(
            f"{label} {' or '.join(names)}",
            f'<p style="margin:4px 0"><strong>{label}</strong> {coded}</p>',
        )


def _numbers(evidence: Mapping[str, Any]) -> Iterator[_Part]:
    smallest = evidence.get("smallest")
    if smallest:
        yield from _smallest(smallest, evidence)
    elif "expected" in evidence and "got" in evidence:
        of = f", for {evidence['value']}" if evidence.get("value") else ""
        yield _comparison(f"The numbers{of}:", evidence["expected"], evidence["got"])
        if evidence.get("detail"):
            detail = str(evidence["detail"])
            yield _paragraph(f"{detail[:1].upper()}{detail[1:]}.")


def _smallest(smallest: Mapping[str, Any], evidence: Mapping[str, Any]) -> Iterator[_Part]:
    inputs = {str(name): text_of(value) for name, value in smallest["inputs"].items()}
    listed = "".join(
        f"<li><code>{escape(name)} = {escape(value)}</code></li>" for name, value in inputs.items()
    )
    yield _Part(
        ["The smallest case that shows it:", *(f"  {name} = {value}" for name, value in inputs.items())],
        '<p style="margin:6px 0 0 0"><strong>The smallest case that shows it:</strong></p>'
        f'<ul style="margin:2px 0 6px 0;padding:0;list-style-type:none">{listed}</ul>',
    )
    of = str(evidence.get("value") or "").replace(": ", ", ")
    expected, got = smallest["expected"], smallest["got"]
    if grid_of(expected) is None and len(text_of(expected)) > MOST_WORDS:
        yield _paragraph(text_of(got), "Yours gives:")
    else:
        yield _comparison(f"{of}:" if of else "", expected, got)
    if smallest.get("form"):
        yield _paragraph(f"{smallest['form']}.", "In form:")
    if smallest.get("line"):
        line = str(smallest["line"])
        yield _Part(
            f"Worked: {line}",
            f'<p style="margin:4px 0"><strong>Worked:</strong> <code>{escape(line)}</code></p>',
        )


def _comparison(label: str, expected: Any, got: Any) -> _Part:
    lines = [f"  {line}" for line in side_by_side(expected, got)]
    named = f'<p style="margin:6px 0 0 0"><strong>{escape(label)}</strong></p>' if label else ""
    return _Part(
        [label, *lines] if label else lines,
        f"{named}<div style='overflow:auto'>{tables(expected, got)}</div>",
    )


def next_check(row: Mapping[str, Any]) -> str:
    """What a student should look at next; one sentence or two."""
    evidence = row["evidence"] or {}
    if evidence.get("hint"):
        return str(evidence["hint"])
    if str(row["verdict"]) in NEXT:
        return NEXT[str(row["verdict"])]
    return BY_DIFFERENCE.get(str(evidence.get("difference")), BY_DIFFERENCE["value"])


def _case(case: Mapping[str, Any]) -> str:
    return SEEN.get(str(case["kind"]), "Seen on random inputs (seed {seed}).").format(seed=case["seed"])
