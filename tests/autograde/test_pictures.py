"""Which files beside a notebook become part of its feedback page."""

from pathlib import Path

import pytest

from stagegrade.autograde._feedback import MAX_PICTURE, _Pictures


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.png").write_bytes(b"of another student")
    made = tmp_path / "handed-in"
    (made / "figures").mkdir(parents=True)
    (made / "figures/mine.png").write_bytes(b"mine")
    (made / "large.png").write_bytes(b"x" * (MAX_PICTURE + 1))
    (made / "notes.txt").write_text("no picture")
    (made / "link.png").symlink_to(tmp_path / "secret.png")
    return made


def test_a_picture_in_the_notebooks_folder_is_taken(folder: Path) -> None:
    """Its place on the page would be empty."""
    assert "data:image/png;base64,bWluZQ==" == _Pictures(folder)("figures/mine.png")


@pytest.mark.parametrize(
    "address",
    [
        "../secret.png",
        "link.png",
        "figures/../../secret.png",
        "large.png",
        "notes.txt",
        "none.png",
        "\0.png",
        ".",
    ],
)
def test_nothing_else_is(folder: Path, address: str) -> None:
    """A student could have another's work, or the gradebook's folder, printed on their own page."""
    assert _Pictures(folder)(address) is None


def test_a_page_takes_only_so_many(folder: Path) -> None:
    """One picture that a cell names a thousand times would make a page of gigabytes."""
    (folder / "half.png").write_bytes(b"x" * (MAX_PICTURE // 2))
    picture = _Pictures(folder)
    taken = [picture("half.png") is not None for _ in range(20)]
    assert [True] * 10 + [False] * 10 == taken
