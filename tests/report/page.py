"""Reads a whole page."""

import re
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "link", "hr", "wbr", "input"}


class Page(HTMLParser):
    """Reads a page, and fails on an element that is closed where it is not open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.elements: list[str] = []
        self.said = ""
        self.feed(html)
        self.close()
        assert [] == self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.said += "" if tag in ("a", "code", "strong", "small") else " "
        self.elements.append(tag)
        self.ids += [found["id"]] if found.get("id") else []
        self.links += [found["href"]] if tag == "a" and found.get("href") else []
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self.open):
            self.said += data

    @property
    def words(self) -> str:
        return " ".join(self.said.split())
