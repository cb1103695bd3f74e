"""Mistakes in telling weight parameters from attention weights."""

from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines._value import Value
from stagegrade.pipelines.mistakes._slips import Reference

WEIGHT_KINDS = Catalogue("weight_kinds")

OTHER: dict[Value, Value] = {"parameter": "attention", "attention": "parameter"}


@WEIGHT_KINDS.mistake(
    name="all-weights-are-parameters",
    sees="Every weight is called a parameter, those made in a forward pass included.",
    why="The word weight has two meanings here, and only one of them is a number that training adjusts.",
    hint="Ask for each of them whether it would be the same for another sentence.",
)
def all_weights_are_parameters() -> Value:
    return "parameter"


@WEIGHT_KINDS.mistake(
    name="all-weights-are-attention",
    sees="Every weight is called an attention weight, the trained matrices included.",
    why="What belongs to the attention layer is not therefore made anew for each query.",
    hint="Ask for each of them what would be stored in a file with the trained model.",
)
def all_weights_are_attention() -> Value:
    return "attention"


@WEIGHT_KINDS.mistake(
    name="kinds-exchanged",
    sees="Each weight has the name of the other kind.",
    why="The two kinds are told apart rightly, and only their names were mixed up.",
    hint="Take the one you are most sure of and check what it is called.",
)
def kinds_exchanged(reference: Reference, weight: str) -> Value:
    return OTHER[reference(weight)]


@WEIGHT_KINDS.mistake(
    name="linear-weight-as-attention",
    sees="All are right but the weight of an nn.Linear.",
    why="Its name has the word weight in it, but it is a matrix of the layer that stays from call to call.",
    hint="Ask when the numbers in an nn.Linear are settled.",
)
def linear_weight_as_attention(reference: Reference, weight: str) -> Value:
    return "attention" if weight == "nn.Linear.weight" else reference(weight)


@WEIGHT_KINDS.mistake(
    name="value-matrix-as-attention",
    sees="All are right but the matrix for values.",
    why="Attention weights are multiplied with the values, which does not make the values' matrix one of "
    "them.",
    hint="Ask whether that matrix is the same for two different queries.",
)
def value_matrix_as_attention(reference: Reference, weight: str) -> Value:
    return "attention" if weight == "W_value" else reference(weight)


@WEIGHT_KINDS.mistake(
    name="named-weights-are-parameters",
    sees="Whatever has the word weights in its name or a capital W is called a parameter.",
    why="The name does not decide: what counts is when the numbers come to be.",
    hint="Look at the variable whose name ends with weights, and at the line that computes it.",
)
def named_weights_are_parameters(reference: Reference, weight: str) -> Value:
    return "parameter" if weight == "attn_weights" else reference(weight)


@WEIGHT_KINDS.mistake(
    name="shares-as-parameters",
    sees="All are right but the share that each token has in a context vector.",
    why="A share depends on the sentence and on the query, so no training can settle it beforehand.",
    hint="Ask whether the share of a token would stay when the sentence changes.",
)
def shares_as_parameters(reference: Reference, weight: str) -> Value:
    return "parameter" if weight.startswith("share") else reference(weight)
