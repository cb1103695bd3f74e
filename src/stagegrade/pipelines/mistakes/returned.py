"""Mistakes that any function can have in what it gives back."""

from stagegrade.pipelines._mistake import Catalogue

RETURNED = Catalogue("returned")


@RETURNED.mistake(
    name="nothing-returned",
    sees="The function ends without giving anything back, so that what calls it receives None.",
    why="A function hands on only what follows its return, and a printed or assigned result stays inside.",
    hint="Look at the last line of the function.",
)
def nothing_returned() -> None:
    return None
