"""Mistakes in naming the first checkpoint that broken code fails."""

from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines._value import Value
from stagegrade.pipelines.mistakes._slips import Reference

FIRST_FAILURES = Catalogue("first_failures")

# Two of the snippets have another fault after the one asked for.
SECOND_FAULT: dict[str, Value] = {"A": "softmax axis", "D": "scaling step"}
CHECKPOINTS = ("query source", "key index", "scaling step", "softmax axis")


def _moved(checkpoint: Value, by: int) -> Value:
    """The checkpoint ``by`` places further down the checklist, and no further than its ends."""
    place = CHECKPOINTS.index(str(checkpoint)) + by
    return CHECKPOINTS[max(0, min(place, len(CHECKPOINTS) - 1))]


def _exchanged(checkpoint: Value, one: str, other: str) -> Value:
    return {one: other, other: one}.get(str(checkpoint), checkpoint)


@FIRST_FAILURES.mistake(
    name="last-checkpoint-named",
    sees="The same checkpoint is named for every snippet, the last of the list.",
    why="An early fault spoils all that follows, so the end of the trace always looks wrong; the cause is "
    "earlier.",
    hint="Read each trace from the top, and stop at the first number that does not agree.",
)
def last_checkpoint_named() -> Value:
    return CHECKPOINTS[-1]


@FIRST_FAILURES.mistake(
    name="first-checkpoint-named",
    sees="The same checkpoint is named for every snippet, the first of the list.",
    why="The list is gone through from the top, but a snippet may pass the first point and fail a later one.",
    hint="Work out by hand what the first checkpoint should give, and see which snippets pass it.",
)
def first_checkpoint_named() -> Value:
    return CHECKPOINTS[0]


@FIRST_FAILURES.mistake(
    name="one-checkpoint-late",
    sees="Most answers name the checkpoint after the one where the trace first leaves the expected values.",
    why="What fails next was made from something wrong already, and only carries the error on.",
    hint="Go back one step from the point you named and check what went into it.",
)
def one_checkpoint_late(reference: Reference, snippet: str) -> Value:
    return _moved(reference(snippet), 1)


@FIRST_FAILURES.mistake(
    name="one-checkpoint-early",
    sees="Most answers name the checkpoint before the one where the trace first leaves the expected values.",
    why="The step before still gave the right values, so it is not where the fault lies.",
    hint="Check the values of the point you named, not only the code around it.",
)
def one_checkpoint_early(reference: Reference, snippet: str) -> Value:
    return _moved(reference(snippet), -1)


@FIRST_FAILURES.mistake(
    name="second-fault-named",
    sees="For the snippets that have two faults, the later one is named.",
    why="A later fault is real too, but it can be judged only after the earlier one has been mended.",
    hint="Take the snippets where you found more than one fault, and ask which comes first in the checklist.",
)
def second_fault_named(reference: Reference, snippet: str) -> Value:
    return SECOND_FAULT.get(snippet, reference(snippet))


@FIRST_FAILURES.mistake(
    name="query-and-key-checkpoints-exchanged",
    sees="Where the query is at fault the key is named, and the other way round.",
    why="Both are picked by an index, but one is about the token that asks and one about the token asked.",
    hint="Look at which side of the dot product the index belongs to.",
)
def query_and_key_checkpoints_exchanged(reference: Reference, snippet: str) -> Value:
    return _exchanged(reference(snippet), "query source", "key index")


@FIRST_FAILURES.mistake(
    name="scaling-and-softmax-checkpoints-exchanged",
    sees="Where the scaling is at fault the softmax is named, and the other way round.",
    why="Both change the weights, but a wrong scale leaves each row's sum at one and a wrong axis does not.",
    hint="Add up the rows of the weights in each of the two traces.",
)
def scaling_and_softmax_checkpoints_exchanged(reference: Reference, snippet: str) -> Value:
    return _exchanged(reference(snippet), "scaling step", "softmax axis")
