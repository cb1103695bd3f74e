"""What in a page would act on whoever opens it, and is an attack's: it has the attacks' number in it."""

import re
from html.parser import HTMLParser

NUMBER = "31337"


def acting_in(page: str) -> list[str]:
    """Scripts, handlers, frames and links that run code, as far as they name the attacks' number."""
    found = _Acting()
    found.feed(page)
    return found.found


class _Acting(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        for name, value in attrs:
            acts = name.startswith("on") or re.match(
                r"\s*(javascript|data:text|vbscript)", value or "", re.IGNORECASE
            )
            if NUMBER in (value or "") and (
                acts or tag in ("iframe", "form", "object", "embed", "base", "meta", "link")
            ):
                self.found.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if NUMBER in data and self._inside == "script":
            self.found.append(f"script {data[:100]}")
