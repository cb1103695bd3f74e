"""What a file is that was handed in for a notebook, told by how it begins."""

from collections.abc import Sequence

# As `file` tells them too; a ZIP archive is also what word processors and spreadsheets write.
_BEGINNINGS: Sequence[tuple[bytes, str]] = (
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"\x89PNG\r\n\x1a\n", "a picture (PNG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or a document of an office program"),
    (b"\x1f\x8b", "a compressed file (gzip)"),
    (b"\xd0\xcf\x11\xe0", "a document of an office program"),
    (b"\x7fELF", "a program"),
    (b"<!doctype html", "a web page"),
    (b"<html", "a web page"),
)


def kind_of(content: bytes) -> str | None:
    """In words, with its article; ``None`` for what may be text of any kind."""
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:64]
    for beginning, kind in _BEGINNINGS:
        if start.startswith(beginning) or start.lower().startswith(beginning):
            return kind
    try:
        content.decode()
    except UnicodeDecodeError:
        return "a file of bytes that are no text"
    return None
