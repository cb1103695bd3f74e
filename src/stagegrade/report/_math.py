"""LaTeX as MathML, which browsers draw and read aloud by themselves, offline and without scripts."""

import xml.etree.ElementTree as ET
from functools import lru_cache
from html import escape, unescape

from latex2mathml.converter import convert_to_element

# MathML Core's elements and those attributes that only lay out: a formula may come from a student, and the
# converter writes links and styles where the LaTeX asks for them.
_ELEMENTS = (
    "math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms "
    "mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none"
)
_ATTRIBUTES = (
    "accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height "
    "largeop linethickness lspace mathsize mathvariant maxsize minsize movablelimits notation rowlines "
    "rowspacing rspace scriptlevel separator stretchy symmetric voffset width"
)

ELEMENTS, ATTRIBUTES = frozenset(_ELEMENTS.split()), frozenset(_ATTRIBUTES.split())


@lru_cache(maxsize=4096)
def math_html(latex: str, *, block: bool) -> str:
    """A formula as a ``math`` element; LaTeX that cannot be converted stands there as it is written."""
    try:
        element = convert_to_element(latex, display="block" if block else "inline")
    except Exception:  # noqa: BLE001 - the converter ends in many ways on what is no LaTeX
        return f"<code>{escape(latex)}</code>"
    _tame(element)
    element.set("alttext", latex)
    return ET.tostring(element, encoding="unicode")


def _tame(element: ET.Element) -> None:
    for one in element.iter():
        if one.tag not in ELEMENTS:
            one.tag = "mrow"
        for name in [name for name in one.attrib if name not in ATTRIBUTES and name != "xmlns"]:
            del one.attrib[name]
        # The converter leaves character references in its text; serialising escapes what they stand for.
        one.text = unescape(one.text) if one.text else one.text
        one.tail = unescape(one.tail) if one.tail else one.tail
