"""What was handed in for a notebook and is none: a file told by how it begins, another name, no file at all."""

from collections.abc import Sequence
from pathlib import Path

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


def absent(path: Path) -> str:
    """Why there is no file at ``path`` to be read, and what to do, as far as what lies there tells."""
    if path.is_symlink():
        return "it is a link, and links are not followed. Hand in the file itself."
    if path.is_dir():
        return "it is a folder. Hand in the notebook itself, which is a file of this name."
    if path.exists():
        return "it is no file that could be read. Hand in the notebook itself."
    beside = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    like = next((found for found in beside if found.stem.casefold() == path.stem.casefold()), None)
    if like is None:
        return "there is no such file. Was the notebook renamed before it was handed in?"
    if like.suffix.casefold() == path.suffix and like.is_file():
        return f"there is no such file, but {like.name}. Rename that to {path.name}."
    return f"there is no such file, but {like.name}, which is no notebook. Hand in the notebook itself, {path.name}."
