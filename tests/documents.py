"""Takes code and commands out of the documents, so that what they show is what is run."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(document: str, language: str) -> list[str]:
    """The fenced blocks of a language in one of the project's documents, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [body for kind, body in _FENCED.findall(text) if kind == language]
