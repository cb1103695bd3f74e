"""A cell's outputs as HTML that cannot act."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from nbconvert.filters.ansi import ansi2html

from stagegrade.report._markup import cleaned_html, markdown_html
from stagegrade.report._math import math_html

# In what nbconvert gives back a quote is a tag's: those of the text are escaped.
_EXACT = re.compile(r' style="[^"]*"')
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")


def output_html(output: Mapping[str, Any]) -> str:
    """One output, the richest of its forms that can be shown; empty where it has none."""
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return f'<pre class="{name}">{_terminal(_text(output.get("text")))}</pre>'
    if kind == "error":
        return f'<pre class="error">{_terminal(_traceback(output))}</pre>'
    data = output.get("data") or {}
    for mime, render in _FORMS.items():
        if mime in data:
            shown = render(data[mime], data)
            if shown.strip():
                return f'<div class="result">{shown}</div>'
    return ""


def _terminal(text: str) -> str:
    """What a terminal would show. Its sixteen colours are the page's own; the exact ones that a program asks for
    are made for its own background, and would be faint on another."""
    return _EXACT.sub("", ansi2html(text))


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _traceback(output: Mapping[str, Any]) -> str:
    lines = [_text(line) for line in output.get("traceback") or ()]
    return "\n".join(lines) if lines else f"{output.get('ename')}: {output.get('evalue')}"


def _html(value: Any, _: Mapping[str, Any]) -> str:
    shown, said = cleaned_html(_text(value))
    # Of a script alone nothing is left, and its plain form says more.
    return shown + said if shown.strip() else ""


def _markdown(value: Any, _: Mapping[str, Any]) -> str:
    return markdown_html(_text(value), below=2)


def _svg(value: Any, data: Mapping[str, Any]) -> str:
    # As a picture, an SVG's scripts do not run.
    return _picture("svg+xml", b64encode(_text(value).encode()).decode(), data)


def _image(kind: str) -> Callable[[Any, Mapping[str, Any]], str]:
    return lambda value, data: _picture(kind, _text(value), data)


def _picture(kind: str, encoded: str, data: Mapping[str, Any]) -> str:
    if not _BASE64.fullmatch(encoded):
        return ""
    said = _text(data.get("text/plain")).strip() or "no description"
    return (
        f'<img src="data:image/{kind};base64,{"".join(encoded.split())}" '
        f'alt="A picture made by this cell: {escape(said)}">'
    )


def _latex(value: Any, _: Mapping[str, Any]) -> str:
    return math_html(_text(value).strip().strip("$").strip(), block=True)


def _plain(value: Any, _: Mapping[str, Any]) -> str:
    return f"<pre>{_terminal(_text(value))}</pre>"


_FORMS: Mapping[str, Callable[[Any, Mapping[str, Any]], str]] = {
    "text/html": _html,
    "text/markdown": _markdown,
    "image/svg+xml": _svg,
    "image/png": _image("png"),
    "image/jpeg": _image("jpeg"),
    "image/gif": _image("gif"),
    "text/latex": _latex,
    "text/plain": _plain,
}
