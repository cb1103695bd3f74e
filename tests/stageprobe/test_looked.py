"""A cell is looked at once: with the text, the answer and the warnings that IPython has for it."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from IPython.core.async_helpers import _should_be_async
from IPython.core.inputtransformer2 import TransformerManager

from stageprobe._looked import Looked, may_change

ROOT = Path(__file__).parents[2]
CELLS = [
    "".join(cell["source"])
    for path in sorted((ROOT / "source").glob("*/*.ipynb"))
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    if cell["cell_type"] == "code"
]
CHANGED = {
    "a magic": "%time x = 1",
    "a magic for a cell": "%%time\nx = 1",
    "a magic's result": "x = %who_ls",
    "a magic's result, further down": "x = \\\n    %who_ls",
    "a command": "!ls",
    "a command's output": "x = !ls",
    "help": "x?",
    "help before": "?x",
    "help in a block": "if True:\n    x?",
    "called by a comma": ",f a b",
    "called by a semicolon": ";f a b",
    "called by a slash": "/f a",
    "an indent of the whole": "    x = 1\n    y = 2",
    "blank lines before": "\n\nx = 1",
    "a line of blanks": "x = 1\n   \ny = 2",
    "blanks within a text": "x = '''\n   \n'''",
    "a prompt": ">>> x = 1",
    "an indented prompt": "  >>> x = 1",
    "IPython's prompt": "In [1]: x = 1",
    "prompts of a block": "In [1]: if True:\n   ...:     x = 1",
}
AS_IT_IS = {
    "a modulo": "x = 7 % 2\ny = (7\n  # rest\n) % 2",
    "unequal": "x = 1 != 2",
    "a format": "print('%d?' % 3, 'why!')",
    "a question": "x = 1  # why? because",
    "an await": "import asyncio\nawait asyncio.sleep(0)",
    "an async for": "async for x in y:\n    pass",
    "a warning": "1 is 1",
    "two warnings": "'\\d'\n() is ()",
}
LEFT_TO_IPYTHON = {
    "no Python": "x = = 1",
    "a wrong dedent": "if True:\n        x = 1\n    y = 2",
    "continued with nothing": "class A:\n    x = 1\n\\\n    def f(self): pass",
    "nothing": "",
}
DEEP = "x" + ".a" * 20000


class Plain:
    """As much of IPython's shell as looks at cells."""

    def __init__(self) -> None:
        self.autoawait = True
        self.input_transformer_manager = TransformerManager()

    def transform_cell(self, code: str) -> str:
        return self.input_transformer_manager.transform_cell(code)

    def should_run_async(self, code: str, *, transformed_cell: str, preprocessing_exc_tuple: Any) -> bool:
        return self.autoawait and preprocessing_exc_tuple is None and _should_be_async(transformed_cell)


def looked_at(code: str, once: bool) -> list[Any]:
    """Both looks at a cell, the kernel's and the shell's, and what was shown meanwhile."""
    shell = Plain()
    looked = Looked(shell) if once else None
    found: list[Any] = []
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        for of_kernel in (True, False):
            text, failed = code, None
            try:
                text = looked.transformed(code) if looked and of_kernel else shell.transform_cell(code)
            except Exception as error:  # noqa: BLE001 - whatever it raises is to be the same
                failed = (type(error), error, None)
                found.append(repr(error))
            if looked and of_kernel:
                awaits = looked.awaits(code, text, failed)
            else:
                awaits = shell.should_run_async(code, transformed_cell=text, preprocessing_exc_tuple=failed)
            found += [text, awaits]
    return [*found, *(str(one.message) for one in shown)]


ALL = {**CHANGED, **AS_IT_IS, **LEFT_TO_IPYTHON}


@pytest.mark.parametrize("code", ALL.values(), ids=ALL)
def test_a_cell_looks_to_ipython_as_it_did(code: str) -> None:
    """A notebook that runs in a kernel would fail here, or show other warnings than it does there."""
    assert looked_at(code, once=False) == looked_at(code, once=True)


@pytest.mark.parametrize(
    "code",
    [*CHANGED.values(), "x = 'a\u2028b'\nprint(x)"],
    ids=[*CHANGED, "a word about the ends of its lines"],
)
def test_what_may_be_changed_is_left_to_ipython(code: str) -> None:
    """Equal by luck, as where it would not be Python without the change, is not enough."""
    assert may_change(code)


@pytest.mark.parametrize("code", AS_IT_IS.values(), ids=AS_IT_IS)
def test_python_as_it_is_is_not_left_to_ipython(code: str) -> None:
    """The tests above would compare IPython with itself."""
    assert not may_change(code)


def test_a_transformer_that_a_cell_added_is_asked() -> None:
    """What it makes of a cell would be left out of the notebook's run."""
    shell = Plain()
    looked = Looked(shell)
    shell.input_transformer_manager.line_transforms.append(lambda lines: ["changed\n", *lines])
    assert "changed\nx = 1\n" == looked.transformed("x = 1")


def test_what_awaits_is_asked_anew_where_that_was_switched_off() -> None:
    """``%autoawait off`` would be heeded from the second run of a cell on."""
    shell = Plain()
    looked = Looked(shell)
    code = "await x"
    assert looked.awaits(code, looked.transformed(code), None)
    shell.autoawait = False
    assert not looked.awaits(code, looked.transformed(code), None)


def test_what_a_magic_has_transformed_is_not_compiled() -> None:
    """``%time`` compiles what it times; a warning would be shown twice."""
    shell = Plain()
    Looked(shell)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        assert "1 is 1\n" == shell.transform_cell("1 is 1")
    assert [] == shown


@pytest.mark.parametrize("code", [DEEP, f"{DEEP}\n%time x"], ids=["as it is", "with an escape"])
def test_a_cell_that_nests_too_deep_is_only_run(code: str) -> None:
    """To look at it would end the session, and with it the cells that come after."""
    looked = Looked(Plain())
    assert not looked.awaits(code, looked.transformed(code), None)


def test_the_cells_of_our_own_assignments_are_python_as_they_are() -> None:
    """Each would be taken apart into tokens, for every student."""
    plain = [cell for cell in CELLS if not may_change(cell)]
    assert len(CELLS) * 0.9 < len(plain)
    for cell in plain:
        assert looked_at(cell, once=False) == looked_at(cell, once=True)
