"""Runs every example by stock nbgrader: ``python -m tests.jail.stock FOLDER`` leaves a notebook for each there.

A process of its own: nbclient leaves event loops and sockets of its threads to the garbage collector.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbgrader.preprocessors import Execute

from tests.jail.notebooks.examples import EXAMPLES


def main() -> None:
    folder = Path(sys.argv[1])

    def run(name: str) -> None:
        beside = folder / f"{name.replace(' ', '-')}.files"
        EXAMPLES[name].lay_out(beside)
        notebook = EXAMPLES[name].notebook()
        Execute(timeout=EXAMPLES[name].timeout).preprocess(notebook, {"metadata": {"path": str(beside)}})
        unfinished = folder / f"{name}.part"
        nbformat.write(notebook, unfinished)
        unfinished.rename(folder / f"{name}.ipynb")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, EXAMPLES))


if __name__ == "__main__":
    main()
