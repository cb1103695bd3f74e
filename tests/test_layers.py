"""The rooms of the house import only from the rooms they stand on (docs/maintainers.md)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"

# What each room of the trusted side may import from: itself and these. Judge, jail and report do not know
# each other; the command line is known to nobody.
MAY_IMPORT: dict[str, set[str]] = {
    "pipelines": set(),
    "diagnosis": {"pipelines"},
    "judge": {"pipelines", "diagnosis", "stageprobe"},
    "jail": {"stageprobe"},
    "report": set(),
    "autograde": {"pipelines", "diagnosis", "judge", "jail", "report", "stageprobe"},
    "bench": {"pipelines", "diagnosis", "judge", "autograde", "stageprobe"},
    "apps": {"pipelines", "jail", "report", "autograde", "bench"},
    "pytest_plugin": {"report", "autograde", "apps"},
    "stageprobe": set(),
}

# Layers that are pure functions: what would make them depend on a notebook or a process.
PURE = {"pipelines", "diagnosis"}
NOTEBOOKS = {"IPython", "ipykernel", "jupyter_client", "nbclient", "nbconvert", "nbformat", "nbgrader"}
PROCESSES = {"asyncio", "multiprocessing", "socket", "subprocess", "threading"}

MODULES = sorted(path for path in SRC.rglob("*.py") if path != SRC / "stagegrade/__init__.py")


def room(module: str) -> str | None:
    """The room a dotted module belongs to; None for `stagegrade` itself and for other people's modules."""
    package, _, rest = module.partition(".")
    if package == "stageprobe":
        return package
    return rest.partition(".")[0] or None if package == "stagegrade" else None


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `from stagegrade import judge` reaches a room as `from stagegrade.judge import …` does.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SRC)))
def test_a_module_imports_only_from_the_layers_it_stands_on(path: Path) -> None:
    """The reference would be one import away from student code, or a room could no longer change alone."""
    own = room(".".join(path.relative_to(SRC).with_suffix("").parts))
    assert own in MAY_IMPORT, f"{own} has no layer yet: give it one in MAY_IMPORT"
    allowed = MAY_IMPORT[own] | {own}
    modules = list(imported(path))
    rooms = {room(module) for module in modules} - {None, "__version__", "imported_when_asked"}
    assert set() == rooms - allowed
    if own in PURE:
        assert set() == {module.partition(".")[0] for module in modules} & (NOTEBOOKS | PROCESSES)


def test_a_room_is_allowed_no_more_than_it_uses() -> None:
    """What nobody uses any more could come back unseen, and the maintainers' page would name it."""
    used: dict[str, set[str]] = {own: set() for own in MAY_IMPORT}
    for path in MODULES:
        own = room(".".join(path.relative_to(SRC).with_suffix("").parts))
        assert own is not None
        used[own] |= {found for found in map(room, imported(path)) if found in MAY_IMPORT} - {own}
    assert MAY_IMPORT == used


def test_the_maintainers_page_says_what_each_file_of_autograde_does() -> None:
    """The room has too many files to be found one's way in without it."""
    page = (SRC.parent / "docs" / "maintainers.md").read_text(encoding="utf-8")
    table = page.partition("## The files of `autograde`")[2].partition("\n## ")[0]
    told = {name.removesuffix("/") for name in re.findall(r"`(\w+/?)`", table)} - {"Execute", "autograde"}
    files = {path.stem for path in (SRC / "stagegrade" / "autograde").glob("*.py")} | {"template"}
    assert told == files


def test_the_probe_imports_nothing_of_the_trusted_side() -> None:
    """The probe runs beside the student's code: what it can import, they can read."""
    probes = [path for path in MODULES if path.is_relative_to(SRC / "stageprobe")]
    assert probes, "src/stageprobe holds no module"
    named = {
        f"{path.name} imports {module}"
        for path in probes
        for module in imported(path)
        if module.partition(".")[0] == "stagegrade"
    }
    assert set() == named
