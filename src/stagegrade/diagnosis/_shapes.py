"""Says a wrong shape in the names of the dimensions, and how it may have come about."""

from collections.abc import Mapping, Sequence

from stagegrade.pipelines import Shape


def shape_in_words(
    name: str,
    shape: Shape,
    expected: Sequence[tuple[int, ...]],
    got: Sequence[tuple[Mapping[str, int], tuple[int, ...]]],
) -> str | None:
    """A sentence, where the shapes of all cases have one form; ``got`` has the sizes of each case beside it."""
    # A case with a batch has an axis more; it is left out where the others have none.
    plain = [
        (wanted, sizes, found)
        for wanted, (sizes, found) in zip(expected, got, strict=True)
        if len(wanted) == len(shape)
    ]
    lengths = {len(found) for _, _, found in plain}
    if not plain or len(lengths) != 1:
        return None
    words = [_axis([(sizes, found[place]) for _, sizes, found in plain]) for place in range(lengths.pop())]
    if any(word is None for word in words):
        return None
    wanted = _written([str(d) for d in shape])
    given = _written([str(word) for word in words])
    how = _how([str(d) for d in shape], [str(word) for word in words])
    return f"`{name}` has shape {given} where {wanted} is asked for{how}."


def _axis(sizes: Sequence[tuple[Mapping[str, int], int]]) -> str | None:
    """What an axis counts: the dimension that has its size on every case, or a fixed number."""
    for name in sizes[0][0]:
        if all(known.get(name) == size for known, size in sizes):
            return name
    fixed = {size for _, size in sizes}
    return str(fixed.pop()) if len(fixed) == 1 else None


def _written(dimensions: Sequence[str]) -> str:
    if not dimensions:
        return "() (a single number)"
    return f"({', '.join(dimensions)}{',' if len(dimensions) == 1 else ''})"


def _how(wanted: Sequence[str], given: Sequence[str]) -> str:
    if sorted(wanted) == sorted(given):
        return ": the axes stand in another order"
    without_ones = [d for d in given if d != "1"]
    if without_ones == list(wanted):
        return ": an axis of size 1 is too many, as a slice leaves one where an index takes it away"
    lost = _lost(wanted, given)
    if lost:
        return f": the axis of {lost} is gone, as after a sum, a mean or an index"
    added = _lost(given, wanted)
    if added:
        return f": the axis of {added} is still there, and was to be summed over or picked from"
    return ""


def _lost(more: Sequence[str], fewer: Sequence[str]) -> str | None:
    """The one axis that has to be taken out of ``more`` to leave ``fewer``."""
    if len(more) != len(fewer) + 1:
        return None
    for place, axis in enumerate(more):
        if [*more[:place], *more[place + 1 :]] == list(fewer):
            return axis
    return None
