"""Mistakes in turning scaled scores into weights: (n,) for one query, (n, n) for all, or a batch of those.

Each variant starts from the scaled scores; ``within_attention`` serves a stage that takes all the steps.
"""

import torch
from torch import Tensor
from torch.nn import functional

from stagegrade.pipelines._attention import attention_weights, scaled_scores
from stagegrade.pipelines._mistake import Catalogue

SOFTMAX = Catalogue("softmax")


@SOFTMAX.mistake(
    name="softmax-down-the-columns",
    sees="The columns add up to one where the rows should.",
    why="Each query spreads its attention over the keys, and the keys of a query stand in one row.",
    hint="Add up the weights along each axis in turn, and ask which sums should be one.",
)
def softmax_down_the_columns(scaled: Tensor) -> Tensor:
    return torch.softmax(scaled, dim=0)


@SOFTMAX.mistake(
    name="softmax-over-the-queries",
    sees="In every sentence of a batch the columns add up to one where the rows should.",
    why="The axis that softmax works along counts queries, though the share is among the keys of one query.",
    hint="Name what each axis of the scores counts, from the last one backwards.",
)
def softmax_over_the_queries(scaled: Tensor) -> Tensor:
    return torch.softmax(scaled, dim=-2)


@SOFTMAX.mistake(
    name="softmax-along-dim-1",
    sees="It works for a matrix of scores only: a single row raises an error, and a batch comes out wrong.",
    why="Counted from the front, the axis of the keys has another number for a row, a matrix and a batch.",
    hint="Ask from which end the axis of the keys can be counted so that it is always the same.",
)
def softmax_along_dim_1(scaled: Tensor) -> Tensor:
    return torch.softmax(scaled, dim=1)


@SOFTMAX.mistake(
    name="softmax-over-all-entries",
    sees="All weights together add up to one, so that each row has only a part of it.",
    why="Every query has a whole of its own to share out among the keys.",
    hint="Add up the weights of a single row.",
)
def softmax_over_all_entries(scaled: Tensor) -> Tensor:
    return torch.softmax(scaled.flatten(), dim=0).reshape(scaled.shape)


@SOFTMAX.mistake(
    name="exponentials-divided-by-their-total",
    sees="All weights together add up to one, and large scores give NaN.",
    why="The sum runs over every query's exponentials at once, and a plain exponential of a large score "
    "overflows.",
    hint="Ask whose exponentials belong into the sum that one row is divided by.",
)
def exponentials_divided_by_their_total(scaled: Tensor) -> Tensor:
    return scaled.exp() / scaled.exp().sum()


@SOFTMAX.mistake(
    name="exponentials-divided-down-the-columns",
    sees="The columns add up to one where the rows should, and large scores give NaN.",
    why="A formula that was right for one row sums over the queries once it is given a matrix.",
    hint="Check along which axis the exponentials are added up, now that there are two of them.",
)
def exponentials_divided_down_the_columns(scaled: Tensor) -> Tensor:
    return scaled.exp() / scaled.exp().sum(dim=0)


@SOFTMAX.mistake(
    name="divided-by-the-sum",
    sees="The weights add up to one, but some are negative or larger than one.",
    why="Dividing by the sum keeps the signs, and a share below nothing has no meaning.",
    hint="Ask what makes every number positive before the shares are taken.",
)
def divided_by_the_sum(scaled: Tensor) -> Tensor:
    return scaled / scaled.sum(dim=-1, keepdim=True)


@SOFTMAX.mistake(
    name="exponentials-not-divided",
    sees="The weights are all positive, but they do not add up to one.",
    why="Exponentials are only the first half: shares come from comparing each with the whole.",
    hint="Add up a row of your weights.",
)
def exponentials_not_divided(scaled: Tensor) -> Tensor:
    return scaled.exp()


@SOFTMAX.mistake(
    name="sum-without-keepdim",
    sees="Rows do not add up to one, although each sum is right; a batch may raise an error about sizes.",
    why="The sums lost their axis and were lined up with the columns, so a row is divided by other rows' "
    "sums.",
    hint="Print the shape of the sums next to the shape of what they divide.",
)
def sum_without_keepdim(scaled: Tensor) -> Tensor:
    return scaled.exp() / scaled.exp().sum(dim=-1)


@SOFTMAX.mistake(
    name="softmax-twice",
    sees="The weights add up to one, but they are all nearly the same.",
    why="A second softmax starts from numbers between 0 and 1, which hardly differ to it.",
    hint="Count the places where softmax is applied between the scores and the weights.",
)
def softmax_twice(scaled: Tensor) -> Tensor:
    return attention_weights(attention_weights(scaled))


@SOFTMAX.mistake(
    name="log-softmax",
    sees="The weights are all negative.",
    why="These are logarithms of weights, which suit a loss and cannot be used for mixing.",
    hint="Check the exact name of the function, and the range of what it gives.",
)
def log_softmax(scaled: Tensor) -> Tensor:
    return torch.log_softmax(scaled, dim=-1)


@SOFTMAX.mistake(
    name="sigmoid",
    sees="Each weight lies between 0 and 1, but a row adds up to more than it should.",
    why="A sigmoid looks at every score alone, whereas weights share one whole among the keys.",
    hint="Raise one score and see whether the other weights in its row give way.",
)
def sigmoid(scaled: Tensor) -> Tensor:
    return torch.sigmoid(scaled)


@SOFTMAX.mistake(
    name="softmax-of-the-unscaled-scores",
    sees="The weights add up to one, but they are too sharp.",
    why="The scaled scores were computed and then left aside.",
    hint="Check which tensor goes into softmax.",
    checkpoint="scaling step",
)
def softmax_of_the_unscaled_scores(scores: Tensor) -> Tensor:
    return attention_weights(scores)


@SOFTMAX.mistake(
    name="scaled-inside-softmax",
    sees="The weights add up to one, but they are too even.",
    why="This step is given the scores as it should use them, and scaling them here is once too often.",
    hint="Look for a division between the scores you are given and the softmax.",
    checkpoint="scaling step",
)
def scaled_inside_softmax(scaled: Tensor, keys: Tensor) -> Tensor:
    return attention_weights(scaled_scores(scaled, keys))


@SOFTMAX.mistake(
    name="weights-rounded-to-four-decimals",
    sees="The weights look right when printed, and are exact to the fourth decimal only.",
    why="What is printed is rounded for reading; the computation goes on with every digit.",
    hint="Print the difference between your weights and those of softmax.",
)
def weights_rounded_to_four_decimals(scaled: Tensor) -> Tensor:
    return torch.round(attention_weights(scaled), decimals=4)


@SOFTMAX.mistake(
    name="weights-rounded-to-two-decimals",
    sees="The weights have two decimals, and their sum may miss one by a little.",
    why="Rounding moves every share, so the context is no longer exact.",
    hint="Look for a step that makes numbers shorter.",
)
def weights_rounded_to_two_decimals(scaled: Tensor) -> Tensor:
    return torch.round(attention_weights(scaled), decimals=2)


@SOFTMAX.mistake(
    name="all-weight-on-the-largest",
    sees="One weight in each row is one, and all others are zero.",
    why="Picking the best match throws away what the other tokens say, and no gradient passes through it.",
    hint="Ask what 'soft' in the name of the function stands for.",
)
def all_weight_on_the_largest(scaled: Tensor) -> Tensor:
    return functional.one_hot(scaled.argmax(dim=-1), scaled.shape[-1]).to(scaled.dtype)


@SOFTMAX.mistake(
    name="index-of-the-largest",
    sees="The result is a whole number for each query, with no axis of keys.",
    why="An index says which key matches best; weights say how much each of them counts.",
    hint="Compare the shape of your result with that of the scores.",
)
def index_of_the_largest(scaled: Tensor) -> Tensor:
    return scaled.argmax(dim=-1)


@SOFTMAX.mistake(
    name="exponentials-overflow",
    sees="Small scores give the right weights, and large ones give NaN.",
    why="The exponential of a large number is beyond what a float can hold, and two infinities have no "
    "quotient.",
    hint="Print the exponential of 100, and ask what could be done to a whole row without changing its "
    "shares.",
)
def exponentials_overflow(scaled: Tensor) -> Tensor:
    return scaled.exp() / scaled.exp().sum(dim=-1, keepdim=True)


@SOFTMAX.mistake(
    name="no-softmax",
    sees="The weights are the scaled scores: some may be negative, and they do not add up to one.",
    why="Scores say how well tokens match, and still have to be turned into shares.",
    hint="Compare what enters this step with what leaves it.",
)
def no_softmax(scaled: Tensor) -> Tensor:
    return scaled.clone()


@SOFTMAX.mistake(
    name="softmax-of-the-negated-scores",
    sees="The weights add up to one, but the best match has the smallest.",
    why="A sign was lost, so that the order of the keys is turned round.",
    hint="Check that the largest score has the largest weight.",
)
def softmax_of_the_negated_scores(scaled: Tensor) -> Tensor:
    return attention_weights(-scaled)


@SOFTMAX.mistake(
    name="unit-length-instead-of-unit-sum",
    sees="The squares of the weights add up to one where the weights should.",
    why="A vector of length one is not a set of shares, and it keeps negative entries.",
    hint="Add up a row of your weights, and look at their signs.",
)
def unit_length_instead_of_unit_sum(scaled: Tensor) -> Tensor:
    return functional.normalize(scaled, dim=-1)


@SOFTMAX.mistake(
    name="later-tokens-masked",
    sees="Above the diagonal all weights are zero.",
    why="Hiding later tokens belongs to causal attention, while here every token may look at all others.",
    hint="Look at the first row: over how many tokens is its weight spread?",
)
def later_tokens_masked(scaled: Tensor) -> Tensor:
    later = torch.ones_like(scaled, dtype=torch.bool).triu(diagonal=1)
    return attention_weights(scaled.masked_fill(later, -torch.inf))


@SOFTMAX.mistake(
    name="own-token-masked",
    sees="The diagonal of the weights is all zeros.",
    why="A token attends to itself as well, and its own key competes with the others.",
    hint="Look at the weight that a token gives to itself.",
)
def own_token_masked(scaled: Tensor) -> Tensor:
    own = torch.eye(scaled.shape[-1], dtype=torch.bool)
    return attention_weights(scaled.masked_fill(own, -torch.inf))
