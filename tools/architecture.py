"""Draws docs/img/architecture.svg, the rooms and who imports from whom: ``python tools/architecture.py``."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
PICTURE = ROOT / "docs" / "img" / "architecture.svg"

# Where each room stands: its column's middle and its row, and what it is in a few words.
ROOMS: Mapping[str, tuple[int, int, str]] = {
    "apps": (200, 0, "the command line"),
    "pytest_plugin": (480, 0, "stages as tests"),
    "autograde": (200, 1, "nbgrader's extension points"),
    "bench": (480, 1, "what it costs, how right it is"),
    "report": (110, 2, "panels, pages, exports"),
    "judge": (340, 2, "asks and decides"),
    "jail": (570, 2, "runs a submission"),
    "diagnosis": (240, 3, "the first divergence, mistakes"),
    "pipelines": (240, 4, "stages, references, cases"),
    "stageprobe": (890, 2, "answers the judge"),
}
WIDTH, HEIGHT = 210, 56
STEP, TOP = 116, 74
WALL = 722


def imports() -> dict[str, set[str]]:
    """For each room the rooms that its modules import from."""
    found: dict[str, set[str]] = {}
    for path in sorted(SRC.rglob("*.py")):
        own = _room(path.relative_to(SRC).with_suffix("").parts)
        if own is None or "template" in path.parts:
            continue
        named = {_room(tuple(module.split("."))) for module in _modules(path)}
        found.setdefault(own, set()).update(room for room in named if room not in (None, own))
    return found


def _modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _room(parts: tuple[str, ...]) -> str | None:
    if parts[0] == "stageprobe":
        return "stageprobe"
    return parts[1] if parts[0] == "stagegrade" and len(parts) > 1 and parts[1] != "__init__" else None


def direct(graph: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no way over other rooms implies: few enough to be drawn."""

    def reaches(start: str, goal: str) -> bool:
        return any(room == goal or reaches(room, goal) for room in graph.get(start, ()))

    return [
        (room, below)
        for room, belows in sorted(graph.items())
        for below in sorted(belows)
        if not any(reaches(other, below) for other in belows if other != below)
    ]


def picture() -> str:
    """The whole SVG. Colours are the reader's own: it is drawn in the colour of the text."""
    graph = imports()
    unplaced = set(graph) - set(ROOMS)
    if unplaced:
        raise SystemExit(f"give {', '.join(sorted(unplaced))} a place in ROOMS")
    inside = [(one, other) for one, other in direct(graph) if "stageprobe" not in (one, other)]
    reaching = sorted(room for room, belows in graph.items() if "stageprobe" in belows)
    return "\n".join([_HEAD, *_wall(reaching), *(_arrow(*edge) for edge in inside), *_boxes(), "</svg>", ""])


_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1010 640" role="img" \
font-family="system-ui, sans-serif" font-size="15">
<title>The rooms of stagegrade</title>
<desc>Boxes in five rows; an arrow leads from a room to each room that it imports from. A dashed line, the wall, \
stands between them and stageprobe, which runs beside the student's code.</desc>
<style>text { fill: #333 } .quiet { font-size: 12.5px; fill: #555 } .box { fill: #f4f6fb; stroke: #44546a } \
.line { stroke: #44546a; fill: none; stroke-width: 1.5 } \
.wall { stroke: #a33; stroke-width: 3; stroke-dasharray: 10 7 } \
@media (prefers-color-scheme: dark) { text { fill: #eee } .quiet { fill: #bbb } .box { fill: #232a36; stroke: #9ab } \
.line { stroke: #9ab } .wall { stroke: #e77 } }</style>
<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" \
orient="auto-start-reverse">\
<path d="M0 0 L10 5 L0 10 z" fill="#6b7f99"/></marker></defs>"""


def _boxes() -> Iterator[str]:
    for name, (middle, row, says) in ROOMS.items():
        left, top = middle - WIDTH // 2, TOP + row * STEP
        yield f'<rect class="box" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
        yield f'<text x="{middle}" y="{top + 24}" text-anchor="middle" font-weight="600">{name}</text>'
        yield f'<text class="quiet" x="{middle}" y="{top + 44}" text-anchor="middle">{says}</text>'


def _arrow(one: str, other: str) -> str:
    (x, row, _), (to, below, _) = ROOMS[one], ROOMS[other]
    start, end = TOP + row * STEP + HEIGHT, TOP + below * STEP
    if row == below:
        # Beside one another: from edge to edge.
        middle, side = TOP + row * STEP + HEIGHT // 2, WIDTH // 2 if x < to else -WIDTH // 2
        return f'<path class="line" d="M{x + side} {middle} H{to - side - 4}" marker-end="url(#tip)"/>'
    bend = (start + end) // 2
    return f'<path class="line" d="M{x} {start} C{x} {bend}, {to} {bend}, {to} {end - 3}" marker-end="url(#tip)"/>'


def _wall(reaching: list[str]) -> Iterator[str]:
    middle, top = ROOMS["stageprobe"][0], TOP + 3 * STEP
    line = TOP + 2 * STEP + HEIGHT // 2
    yield f'<line class="wall" x1="{WALL}" y1="20" x2="{WALL}" y2="610"/>'
    yield f'<text x="{WALL - 14}" y="36" text-anchor="end" font-style="italic">trusted side</text>'
    yield f'<text x="{WALL + 14}" y="36" font-style="italic">the submission\'s process</text>'
    yield (
        f'<path class="line" d="M{ROOMS["jail"][0] + WIDTH // 2} {line} H{middle - WIDTH // 2 - 4}" '
        'marker-end="url(#tip)" marker-start="url(#tip)"/>'
    )
    for number, said in enumerate(("JSON headers,", "tensor bytes")):
        yield f'<text class="quiet" x="{WALL + 8}" y="{TOP + 2 * STEP - 26 + 16 * number}">{said}</text>'
    yield f'<rect class="box" x="{middle - WIDTH // 2}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
    yield f'<text x="{middle}" y="{top + 24}" text-anchor="middle" font-weight="600">the notebook\'s cells</text>'
    yield f'<text class="quiet" x="{middle}" y="{top + 44}" text-anchor="middle">what the student wrote</text>'
    yield (
        f'<path class="line" d="M{middle} {TOP + 2 * STEP + HEIGHT} V{top - 3}" marker-end="url(#tip)" '
        'marker-start="url(#tip)"/>'
    )
    shared = ", ".join(reaching)
    yield f'<text class="quiet" x="{middle}" y="{top + 96}" text-anchor="middle">the wire is spoken by</text>'
    yield f'<text class="quiet" x="{middle}" y="{top + 114}" text-anchor="middle">{shared}</text>'


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"wrote {PICTURE}")
