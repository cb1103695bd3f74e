"""All examples, by name."""

from tests.jail.notebooks import Example
from tests.jail.notebooks.failing import FAILING
from tests.jail.notebooks.magics import MAGICS
from tests.jail.notebooks.printing import PRINTING
from tests.jail.notebooks.showing import SHOWING

EXAMPLES: dict[str, Example] = {**PRINTING, **SHOWING, **MAGICS, **FAILING}
