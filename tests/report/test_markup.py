"""What people wrote, as HTML: complete, and harmless wherever it is opened."""

import re
import time
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

from stagegrade.report import panel, safe_html
from stagegrade.report._markup import code_html, markdown_html
from stagegrade.report._math import math_html
from stagegrade.report._outputs import output_html
from tests.report.records import broken
from tests.report.words import words

ACTING = {
    "script",
    "iframe",
    "form",
    "style",
    "svg",
    "object",
    "embed",
    "base",
    "meta",
    "link",
    "button",
    "input",
}


class Acting(HTMLParser):
    """Collects what acts, fetches a page, or could cover the one it is on."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ACTING:
            self.found.append(tag)
        for name, value in attrs:
            address = name in ("href", "src", "action", "xlink:href") and not re.match(
                r"https?:|mailto:|data:image/|#|[\w%./-]*$", value or ""
            )
            if name.startswith("on") or address or (name == "style" and "position" in (value or "")):
                self.found.append(f"{tag} {name}={value}")


EVIL = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><circle/></svg>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<iframe src='/formgrader'></iframe>",
    "<form action='/api'><button>x</button></form>",
    "<style>body{display:none}</style>",
    "<div style='position:fixed;top:0;left:0;width:100%'>x</div>",
    "<math href='javascript:alert(1)'><mtext><script>alert(1)</script></mtext></math>",
    "$\\text{<script>alert(1)</script>}$",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\style{position:fixed}{x}$",
    "\ue0000\ue001<a title='\ue0000\ue001'>$x' onclick='alert(1)$</a>",
    "![x](javascript:alert(1))",
    "[x](javascript:alert(1))",
]


@pytest.mark.parametrize("evil", EVIL)
def test_markdown_cannot_act(evil: str) -> None:
    """A student's text would run in the browser of whoever grades it."""
    for source in (evil, f"Some text {evil} and more.", f"> - {evil}"):
        assert [] == Acting(markdown_html(source)).found


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize(
    "mime", ["text/html", "text/markdown", "text/latex", "text/plain", "image/svg+xml", "image/png"]
)
def test_an_output_cannot_act(evil: str, mime: str) -> None:
    """A student's output would run in the browser of whoever grades it."""
    shown = output_html({"output_type": "display_data", "data": {mime: evil}, "metadata": {}})
    assert [] == Acting(shown).found


def test_a_script_alone_leaves_the_plain_form() -> None:
    """An output would vanish whose only fault is that its HTML needs scripts."""
    data = {
        "application/javascript": "alert(1)",
        "text/html": "<script>alert(1)</script>",
        "text/plain": "a plot",
    }
    assert "a plot" in output_html({"output_type": "display_data", "data": data, "metadata": {}})


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ({"output_type": "stream", "name": "stderr", "text": "a < b"}, '<pre class="stderr">a &lt; b</pre>'),
        (
            {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mE\x1b[0m: <v>"]},
            '<pre class="error"><span class="ansi-red-fg">E</span>: &lt;v&gt;</pre>',
        ),
        ({"output_type": "display_data", "data": {"application/x-own": "?"}, "metadata": {}}, ""),
        (
            {
                "output_type": "execute_result",
                "data": {"image/png": "iVBO\nRw==", "text/plain": "<Figure>"},
                "metadata": {},
            },
            (
                '<div class="result"><img src="data:image/png;base64,iVBORw==" '
                'alt="A picture made by this cell: &lt;Figure&gt;"></div>'
            ),
        ),
    ],
    ids=lambda value: value.get("output_type") if isinstance(value, dict) else None,
)
def test_outputs_are_shown_in_their_richest_form(output: dict[str, Any], expected: str) -> None:
    """A picture would lack its text for those who cannot see it, or an output its colours or escapes."""
    assert expected == output_html(output)


@pytest.mark.parametrize(
    ("latex", "element"),
    [(r"\sqrt{d_k}", "msqrt"), (r"\frac{e^{s_i}}{\sum_j e^{s_j}}", "mfrac"), (r"x < y", "mo")],
)
def test_formulas_are_mathml(latex: str, element: str) -> None:
    """Offline, formulas would be dollar signs and backslashes, to the eye and to a screen reader."""
    html = markdown_html(f"So ${latex}$ it is.")
    assert f"<{element}>" in html
    assert "$" not in html


def test_what_is_no_latex_stays_readable() -> None:
    """A page would fail, or lose text, over a stray pair of dollar signs."""
    assert "<code>2^a^b</code>" == math_html("2^a^b", block=False)
    assert "<code>$HOME</code>" in markdown_html("`$HOME` and `$PATH`")


def test_headings_move_below_those_of_the_page() -> None:
    """A page with two first headings is hard to find one's way in by ear."""
    assert "<h3>Scaling</h3>" in markdown_html("# Scaling", below=2)
    assert "<h6>Deep</h6>" in markdown_html("##### Deep", below=2)


def test_an_attached_picture_is_shown_and_a_lost_one_said() -> None:
    """A student who deleted an attachment would make the page of the whole class fail."""
    attached = {"plan.png": {"image/png": "iVBORw=="}}
    assert 'src="data:image/png;base64,iVBORw=="' in markdown_html(
        "![plan](attachment:plan.png)", attachments=attached
    )
    assert "missing here: plan" in markdown_html("![plan](attachment:plan.png)")
    long = markdown_html(f"![Six tokens {'and their weights, ' * 20}](attachment:plan.png)")
    assert "missing here: Six tokens and their weights" in long
    assert "…" in long
    assert len(long) < 150


def test_an_empty_corner_is_no_heading() -> None:
    """A screen reader would announce a heading without a name."""
    html = markdown_html("| | shape |\n|-|-|\n| query | (2,) |")
    assert "<td></td>" in html
    assert "<th>shape</th>" in html


def test_a_programs_exact_colours_are_left_to_the_page() -> None:
    """A traceback's grey is made for a white terminal, and is too faint on others."""
    text = '\x1b[38;5;66mdim\x1b[0m \x1b[1;38;2;1;2;3mbold\x1b[0m \x1b[32mgreen\x1b[0m style="x"'
    html = output_html({"output_type": "stream", "name": "stdout", "text": text})
    assert "rgb(" not in html
    assert 'class="ansi-bold"' in html
    assert 'class="ansi-green-fg"' in html
    assert "style=&#34;x&#34;" in html


def test_code_keeps_its_colours() -> None:
    """Code would be one grey block."""
    assert '<span class="k">def</span>' in code_html("def f():\n    return 1")
    assert '<span class="k">def</span>' in markdown_html("```python\ndef f(): pass\n```")


def test_panels_pass_through_unchanged_in_meaning() -> None:
    """Formgrader would show a panel's tags as text, or lose where it broke."""
    whole = broken()
    for row in whole["stages"]:
        html = panel(row, whole)["text/html"]
        cleaned = safe_html(html)
        assert words(html) == words(cleaned)
        assert html.count("border:3px solid") == cleaned.count("border:3px solid")


@pytest.mark.parametrize("piece", ["<div>", "\\begin{a}", "**a", "a.", "[a](b", "`a``b", "> "])
def test_no_text_takes_for_ever_to_show(piece: str) -> None:
    """One cell of a hundred kilobytes would hold up the feedback of a whole class."""
    began = time.process_time()
    for show, length in ((markdown_html, 200_000), (code_html, 400_000), (safe_html, 400_000)):
        assert piece[0] in unescape(show(piece * (length // len(piece))))
    # Each of these once took between five seconds and many minutes.
    assert time.process_time() - began < 4


def test_long_pages_that_do_not_nest_stay_pages() -> None:
    """A large table, or text with many line breaks, would be shown as its own source."""
    table = "<table>" + "<tr><td>1</td><td>2</td></tr>" * 2000 + "</table>"
    assert 4000 == safe_html(table).count("<td>")
    assert 900 == safe_html("<p>a<br>" * 900).count("<br>")
    assert 700 == safe_html("</b><b>a</b>" * 700).count("<b>")


@pytest.mark.parametrize(
    ("html", "named"),
    [
        ("<b>a</b><script>x()</script>", "script"),
        ("<p onclick='x()'>a</p>", "onclick"),
        ("<a href='javascript:x()'>a</a>", "javascript"),
        ("<form><input></form><iframe></iframe>", "form, input, iframe"),
    ],
)
def test_what_is_left_out_is_named(html: str, named: str) -> None:
    """A student or an instructor would look for the plot or the form that was there in the notebook."""
    assert safe_html(html).endswith(f"<p><em>[left out here: {named}]</em></p>")


def test_nothing_is_named_where_nothing_could_act() -> None:
    """Every table of pandas would have a remark beneath it, and so would text about scripts."""
    table = "<style scoped>td { color: red }</style><table><tr><td>a</td></tr></table>"
    assert "left out" not in safe_html(table) + safe_html("<p>&lt;script&gt; and on x = 3</p>")
