"""What a piece of HTML says."""

import re
from html import unescape


def words(html: str) -> str:
    """What is left to read when every tag is gone."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ").split())
