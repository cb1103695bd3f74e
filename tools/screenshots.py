"""Puts the screenshots that the documents show into ``docs/img/``, from where the browser tests left them."""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TAKEN = ROOT / "build" / "screenshots"
SHOWN = ROOT / "docs" / "img"
_PICTURE = re.compile(r"!\[[^\]]*\]\((?:docs/)?img/([\w-]+)\.png\)")


def names() -> list[str]:
    """The screenshots that README and docs show, by the names that ``shoot`` takes them under."""
    documents = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
    return sorted({name for path in documents for name in _PICTURE.findall(path.read_text(encoding="utf-8"))})


def main() -> None:
    missing = [name for name in names() if not (TAKEN / f"{name}.png").exists()]
    if missing:
        sys.exit(f"Not taken yet: {', '.join(missing)}. Run: python -m pytest tests/browser")
    for name in names():
        shutil.copyfile(TAKEN / f"{name}.png", SHOWN / f"{name}.png")
        print(f"docs/img/{name}.png")


if __name__ == "__main__":
    main()
