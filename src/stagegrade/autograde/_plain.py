"""Test cells of plain nbgrader, which have to be believed by what they show: how far they can be."""

import ast
import builtins
import secrets

from nbformat import NotebookNode
from nbgrader import utils

from stagegrade.jail import CellRun, Ended, Jail

CANARY_SECONDS = 10.0

# Each is false; what makes it true, or keeps a failing assert from being reported, would pass any test.
_FALSE = (
    "1.5 == 2.5",
    "abs(-1.5) == 2.5",
    'all([""])',
    'isinstance("", int)',
    '__import__("math").isclose(1.5, 2.5)',
    '__import__("numpy").allclose([1.5], [2.5])',
    '__import__("numpy").array_equal([1.5], [2.5])',
    '__import__("torch").equal(*__import__("torch").tensor([1.5, 2.5]))',
    '__import__("torch").allclose(*__import__("torch").tensor([1.5, 2.5]))',
    'bool((__import__("torch").tensor([1.5]) == __import__("torch").tensor([2.5])).all())',
)
_SUSPECTS = '__import__("stageprobe._whole", fromlist=["_"]).suspects()'
# What a test's names stand for, wherever it was they came from.
_MODULES = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "np": "numpy",
    "numpy": "numpy",
    "math": "math",
}


def canary(jail: Jail, source: str) -> str | None:
    """Run tests that have to fail, and a result that has to be shown; what is wrong where they are not.

    ``source`` is the test that they stand beside: what its names stand for is looked at as well.
    """
    if not jail.alive:
        return None
    token = secrets.token_hex(8)
    shadowed = [_shadowed(name) for name in _names(source)]
    wrong = ", ".join((*_FALSE, *shadowed))
    told = f'{token!r} + ":" + "".join("01"[bool(_)] for _ in [{wrong}]) + ":" + ",".join({_SUSPECTS})'
    said = _assertion(_quietly(jail, f"assert not {token!r}, {told}"))
    if said is None or not said.startswith(f"{token}:"):
        return "an assert that fails is not reported"
    _, digits, suspects = said.split(":", 2)
    if "1" in digits[: len(_FALSE)]:
        return "a comparison of two different values says that they are the same"
    if "1" in digits:
        return f"{_names(source)[digits.index('1') - len(_FALSE)]} stands for something else than in the test"
    if suspects:
        return f"objects of the class {suspects[:200]} are equal to anything"
    number = str(secrets.randbelow(10**6) / 10**6)
    shown = _quietly(jail, number).output.messages
    if [("execute_result", number)] != [(k, c.get("data", {}).get("text/plain")) for k, c in shown]:
        return "a result is not shown as what it is"
    return None


def doubts(run: CellRun, source: str) -> str | None:
    """What is wrong with how a test came to its end; ``None`` where nothing is seen to be."""
    if run.replaced:
        return f"{run.replaced[0]} is not as it was before the notebook ran"
    results = sum(kind == "execute_result" for kind, _ in run.output.messages)
    if results > _expressions(source):
        return "it shows more than one result"
    return None


def _expressions(source: str) -> int:
    """How many statements may show a result, as far as it can be told: one, where it is no plain Python."""
    try:
        return max(1, sum(isinstance(node, ast.Expr) for node in ast.parse(source).body))
    except SyntaxError:
        return 1


def _names(source: str) -> list[str]:
    """The names of modules and of Python's own functions that a test uses, in order."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return [
        name for name in dict.fromkeys(used) if name in _MODULES or callable(getattr(builtins, name, None))
    ]


def _shadowed(name: str) -> str:
    """An expression that is true where a global name is another object than it should be."""
    if name in _MODULES:
        return f'globals().get({name!r}) not in (None, __import__("sys").modules[{_MODULES[name]!r}])'
    return f"{name!r} in globals()"


def _quietly(jail: Jail, code: str) -> CellRun:
    return jail.run_cell(code, secrets.token_hex(8), CANARY_SECONDS, _turned_away, quiet=True)


def _assertion(run: CellRun) -> str | None:
    reply = run.reply or {}
    if run.ended != Ended.DONE or reply.get("ename") != "AssertionError":
        return None
    return str(reply.get("evalue"))


def _turned_away(header: object, jail: Jail) -> None:
    jail.send({"do": "close"})


def determined(cell: NotebookNode) -> tuple[float | None, str | None]:
    """A plain grade cell's score as nbgrader determines it, less its slips; and what a person should see.

    ``None`` as a score waits for a person. Text on the standard error stream, such as a warning of torch's, costs
    nothing. A number stands for itself where it is one between nothing and the cell's points.
    """
    if cell.cell_type != "code" or utils.is_solution(cell):
        score, _ = utils.determine_grade(cell)
        return None if score is None else float(score), None
    points = float(cell.metadata["nbgrader"]["points"])
    if any(output.output_type == "error" for output in cell.outputs):
        return 0.0, None
    result = next((output for output in cell.outputs if output.output_type == "execute_result"), None)
    if result is None:
        return points, None
    text = result.data.get("text/plain")
    try:
        score = float("".join(text) if isinstance(text, list) else text)
    except (TypeError, ValueError):
        # Text that is no number is shown, not counted; a result without any text is none of Python's.
        return (points, None) if text else (0.0, "its result has no text")
    if 0 <= score <= points:
        return score, None
    return 0.0, f"its result, {score:g}, is not between 0 and its points"
