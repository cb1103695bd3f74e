"""What students and instructors wrote, as HTML that cannot act: markdown, code, and HTML itself."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from html import escape, unescape
from textwrap import shorten
from typing import Any, TypeAlias
from urllib.parse import unquote

import nh3
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.token import STANDARD_TYPES

from stagegrade.report._math import math_html

# Layout and ink, and nothing that could cover the page or fetch from elsewhere.
STYLES = (
    "background-color border border-bottom border-collapse border-color border-left border-radius border-right "
    "border-style border-top border-width caption-side color display font-family font-size font-style "
    "font-weight height line-height list-style-type margin margin-bottom margin-left margin-right margin-top "
    "max-width min-width overflow padding padding-bottom padding-left padding-right padding-top "
    "text-align text-decoration vertical-align white-space width"
)
TAGS = frozenset(nh3.ALLOWED_TAGS) | {"section", "mark"}
_TOKENS = frozenset(name for name in STANDARD_TYPES.values() if name)
_IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,", re.IGNORECASE)
# Two characters for private use hold the place of a formula until the rest is known to be harmless.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_CORNER = re.compile(r'<th((?: style="[^"]*")?)></th>')
_PRIVATE = re.compile(f"[{_OPEN}{_CLOSE}]")

# As much of a missing picture's description as says what it was.
MAX_MISSING = 80
_SOURCE = re.compile(r'(<img\b[^>]*? src=")([^"]+)(")')
# What takes time that grows with more than the length of a text is shown as it is written beyond these.
MAX_MARKDOWN, MAX_ENVIRONMENTS = 50_000, 100
MAX_CODE, MAX_CODE_LINE = 200_000, 400
MAX_NESTING = 500
# But those that have no end, or need none, and do not nest in their like.
_TAG = re.compile(r"<(/?)(?!(?:br|hr|img|wbr|col|input|p|li|dt|dd|td|th|tr)\b)[a-z]", re.IGNORECASE)
# Elements, handlers and addresses that could act on the page. A style sheet is none: every table of pandas has one.
_ACTING = re.compile(
    r"<(script|iframe|frame|form|input|button|object|embed|link|meta|base|svg)\b"
    r"|<[a-z][^<>]*?\s(on[a-z]+)\s*=|=\s*[\"']?\s*(javascript):",
    re.IGNORECASE,
)

Attachments: TypeAlias = tuple[tuple[str, str, str], ...]
Picture: TypeAlias = Callable[[str], str | None]
"""Gives what a picture's relative address stands for as a data URI; ``None`` for what is no picture here."""


def no_picture(address: str) -> None:
    """Where nothing lies beside the notebook."""


def safe_html(html: str) -> str:
    """``html`` without scripts, handlers, forms and frames, in the styles of this page rather than its own sheet.

    What nests without end is shown as it is written. What was left out because it could act is named at the end.
    """
    return "".join(cleaned_html(html))


def cleaned_html(html: str) -> tuple[str, str]:
    """The two parts of it: what is harmless of ``html``, and what is said of the rest."""
    if _nests_deep(html):
        return f"<pre>{escape(html)}</pre>", ""
    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        filter_style_properties=set(STYLES.split()),
        allowed_classes={"span": set(_TOKENS), "div": {"highlight"}},
        link_rel="noopener noreferrer",
    )
    acting = dict.fromkeys((found[1] or found[2] or found[3]).lower() for found in _ACTING.finditer(html))
    return cleaned, f"<p><em>[left out here: {', '.join(acting)}]</em></p>" if acting else ""


def _nests_deep(html: str) -> bool:
    if html.count("<") <= MAX_NESTING:
        return False
    depth = deepest = 0
    for tag in _TAG.finditer(html):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest > MAX_NESTING


_ATTRIBUTES = {
    **{tag: set(names) for tag, names in nh3.ALLOWED_ATTRIBUTES.items()},
    "*": {"style", "title", "lang", "dir"},
}


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Data stands for a picture, and never for a page of its own."""
    if value.lstrip().lower().startswith("data:") and not (
        tag == "img" and name == "src" and _IMAGE.match(value.lstrip())
    ):
        return None
    return value


class _Renderer(IPythonRenderer):
    """nbconvert's, with headings one level or more below the page's own, and formulas put aside."""

    def __init__(self, below: int, attachments: Attachments) -> None:
        bundles: dict[str, dict[str, str]] = {}
        for name, kind, data in attachments:
            bundles.setdefault(name, {})[kind] = data
        super().__init__(escape=False, exclude_anchor_links=True, attachments=bundles)
        self._below = below
        self.formulas: list[str] = []

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        return str(super().heading(text, min(level + self._below, 6), **attrs))

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if url.startswith("attachment:") and url.removeprefix("attachment:") not in self.attachments:
            # A description long enough to stand for the picture would bury the text around it.
            about = shorten(text, MAX_MISSING, placeholder=" …")
            return f"<em>[a picture that is missing here: {escape(about)}]</em>"
        return str(super().image(text, url, title))

    def block_math(self, body: str) -> str:
        return self._aside(body, block=True)

    def inline_math(self, body: str) -> str:
        return self._aside(body, block=False)

    def latex_environment(self, name: str, body: str) -> str:
        return self._aside(f"\\begin{{{name}}}{body}\\end{{{name}}}", block=True)

    def _aside(self, latex: str, *, block: bool) -> str:
        self.formulas.append(math_html(latex, block=block))
        return f"{_OPEN}{len(self.formulas) - 1}{_CLOSE}"


def markdown_html(source: str, *, below: int = 0, attachments: Mapping[str, Any] | None = None) -> str:
    """Jupyter's markdown as HTML; ``below`` is how many levels its headings move down.

    ``attachments`` are a cell's own, base64 text by MIME type by name.
    """
    flat = [
        (str(name), str(kind), str(data))
        for name, bundle in (attachments or {}).items()
        for kind, data in bundle.items()
    ]
    return _markdown(source, below, tuple(flat))


# A class has the same text a thousand times over.
@lru_cache(maxsize=4096)
def _markdown(source: str, below: int, attachments: Attachments) -> str:
    if len(source) > MAX_MARKDOWN or source.count("\\begin{") > MAX_ENVIRONMENTS:
        return f"<pre>{escape(source)}</pre>"
    renderer = _Renderer(below, attachments)
    html = safe_html(MarkdownWithMath(renderer=renderer).render(_PRIVATE.sub("", source)))
    # A table's empty corner heads nothing, and a screen reader would say so for every row.
    html = _CORNER.sub(r"<td\1></td>", html)
    return _PLACE.sub(lambda found: renderer.formulas[int(found[1])], html)


def with_pictures(html: str, picture: Picture) -> str:
    """Harmless ``html`` with the pictures that lie beside the notebook in it."""

    def put(found: re.Match[str]) -> str:
        address = unescape(found[2])
        if ":" in address or address.startswith(("/", "#")):
            return found[0]
        return f"{found[1]}{picture(unquote(address)) or found[2]}{found[3]}"

    return _SOURCE.sub(put, html)


@pass_context
def markdown_of_cell(context: Context, source: str) -> str:
    """nbconvert's filter ``markdown2html``, for a template that has the ``cell`` at hand."""
    return markdown_html(source, attachments=(context.get("cell") or {}).get("attachments"))


_highlight = Highlight2HTML(pygments_lexer="ipython3")


@lru_cache(maxsize=8192)
def code_html(source: str) -> str:
    """Python as IPython has it, its tokens marked by pygments' classes."""
    if len(source) > MAX_CODE or any(len(line) > MAX_CODE_LINE for line in source.splitlines()):
        return f'<div class="highlight"><pre>{escape(source)}</pre></div>\n'
    return str(_highlight(source)) if source.strip() else ""
