"""What judging costs before it has judged anything."""

import subprocess
import sys
from pathlib import Path

CODE = """
import sys
from tests.judge.desk import alone
assert not alone("query_key_value", "scaling", lambda scores, keys: scores * 1.3).passed
print(sorted({name.partition(".")[0] for name in sys.modules} & {"sympy", "matplotlib", "pandas"}))
"""


def test_the_first_divergence_imports_nothing_large() -> None:
    """The first wrong submission of a run would wait a second for a library that nobody uses, as for sympy once."""
    found = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "[]\n") == (found.returncode, found.stdout), found.stderr
