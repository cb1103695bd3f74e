"""Figures on a terminal: a row for each thing that was measured."""

from collections.abc import Iterable, Sequence

from rich.table import Table


def figures(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """``heads`` stand over the figures; each row begins with what they are of."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("", *heads):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(*row)
    return table
