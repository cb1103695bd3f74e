"""Mistakes in scoring queries against all keys: one query (d_k,), all of them (n, d_k), or a batch."""

import torch
from torch import Tensor
from torch.nn import functional

from stagegrade.pipelines._attention import attention_scores, attention_weights, scaled_scores
from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines.mistakes._slips import reversed_axes

SCORES = Catalogue("scores")


def _by_rows(query: Tensor) -> Tensor:
    """The queries as rows: a single query becomes a matrix of one."""
    return query if query.dim() > 1 else query.unsqueeze(0)


@SCORES.mistake(
    name="keys-by-queries",
    sees="The matrix is the right one turned over its diagonal: rows belong to keys and columns to queries.",
    why="Softmax works along rows, so each row has to hold the scores of one query.",
    hint="Pick one entry off the diagonal and work out by hand which query and which key it should compare.",
)
def keys_by_queries(query: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(keys, query)


@SCORES.mistake(
    name="no-transpose",
    sees="PyTorch reports that two shapes cannot be multiplied, and both have the same order of sizes.",
    why="The width of the queries meets the number of keys, although it is the widths that have to meet.",
    hint="Write down both shapes in the order of the product and mark the two sizes in the middle.",
)
def no_transpose(query: Tensor, keys: Tensor) -> Tensor:
    return query @ keys


@SCORES.mistake(
    name="queries-transposed-instead-of-keys",
    sees="The scores have one row and one column for each feature where there should be one for each token.",
    why="The sum runs over tokens, so that features are compared with each other.",
    hint="Ask over which axis the products should be added up, and which axes should be left.",
)
def queries_transposed_instead_of_keys(query: Tensor, keys: Tensor) -> Tensor:
    return query.transpose(-2, -1) @ keys


@SCORES.mistake(
    name="keys-elementwise",
    sees="The scores are as wide as a key, so there is no single number for a query and a key.",
    why="The operator * gives the products that a score is made of, and nothing has added them up.",
    hint="Look at the operator, and at the shape that it leaves.",
)
def keys_elementwise(query: Tensor, keys: Tensor) -> Tensor:
    return query * keys


@SCORES.mistake(
    name="raw-inputs-as-keys",
    sees="PyTorch reports that two shapes cannot be multiplied, and the second is that of the inputs.",
    why="The inputs have not been projected, so they do not share a space with the queries.",
    hint="Check the right-hand side of the product: which view of the tokens stands there?",
)
def raw_inputs_as_keys(query: Tensor, inputs: Tensor) -> Tensor:
    return attention_scores(query, inputs)


@SCORES.mistake(
    name="raw-inputs-as-queries",
    sees="PyTorch reports that two shapes cannot be multiplied, and the first is that of the inputs.",
    why="A raw token is no query until it has been projected into the space of the keys.",
    hint="Check the left-hand side of the product: which view of the tokens stands there?",
)
def raw_inputs_as_queries(query: Tensor, inputs: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(inputs if query.dim() > 1 else inputs[1], keys)


@SCORES.mistake(
    name="raw-inputs-on-both-sides",
    sees="The scores are those of simplified attention and stay the same whatever the weights are.",
    why="Without projections there is nothing to train, and queries and keys cannot differ.",
    hint="Change a weight matrix and see whether the scores follow.",
)
def raw_inputs_on_both_sides(query: Tensor, inputs: Tensor) -> Tensor:
    return attention_scores(inputs if query.dim() > 1 else inputs[1], inputs)


@SCORES.mistake(
    name="queries-by-queries",
    sees="The scores do not change when the keys do.",
    why="The queries were compared with themselves, and the keys were never asked.",
    hint="Check that the queries and the keys both stand in the line that makes the scores.",
)
def queries_by_queries(query: Tensor) -> Tensor:
    return query @ reversed_axes(query) if query.dim() == 1 else attention_scores(query, query)


@SCORES.mistake(
    name="keys-by-keys",
    sees="The scores do not change when the queries do.",
    why="The keys were compared with each other, so no query was asked.",
    hint="Look at both sides of the product and name the view that each of them is.",
)
def keys_by_keys(keys: Tensor) -> Tensor:
    return attention_scores(keys, keys)


@SCORES.mistake(
    name="queries-by-values",
    sees="The scores change with the matrix for values and do not change with the one for keys.",
    why="Values are what gets mixed; whether a token matches is for its key to say.",
    hint="Check which of the views the query is multiplied with.",
)
def queries_by_values(query: Tensor, values: Tensor) -> Tensor:
    return attention_scores(query, values)


@SCORES.mistake(
    name="reshaped-instead-of-transposed",
    sees="The shape is right, and the numbers mix entries of different keys.",
    why="A reshape reads the same entries in the same order into other rows, so that keys are torn apart.",
    hint="Apply the step that changes the keys' shape to a small matrix of counted entries, and look at its "
    "columns.",
)
def reshaped_instead_of_transposed(query: Tensor, keys: Tensor) -> Tensor:
    *batch, n, d_k = keys.shape
    return query @ keys.reshape(*batch, d_k, n)


@SCORES.mistake(
    name="dot-T-on-a-batch",
    sees="A single sentence works, and a batch of sentences ends with an error about shapes.",
    why="The attribute T turns round every axis, the batch's too, where only the last two should trade "
    "places.",
    hint="Print the shape of the transposed keys once for a sentence and once for a batch.",
)
def dot_t_on_a_batch(query: Tensor, keys: Tensor) -> Tensor:
    return query @ reversed_axes(keys)


@SCORES.mistake(
    name="integer-buffer",
    sees="All scores are whole numbers, cut off towards zero.",
    why="The tensor that the scores were written into holds integers, and so loses every fraction.",
    hint="Print the dtype of the tensor that you fill.",
)
def integer_buffer(query: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(query, keys).to(torch.int64)


@SCORES.mistake(
    name="loop-stops-before-the-last-key",
    sees="The score for the last key is zero.",
    why="The loop over the keys ends one turn early, so that entry keeps the value the tensor began with.",
    hint="Print the indices that the loop goes through and count them.",
)
def loop_stops_before_the_last_key(query: Tensor, keys: Tensor) -> Tensor:
    scores = attention_scores(query, keys)
    scores[..., -1] = 0
    return scores


@SCORES.mistake(
    name="loop-stops-before-the-last-query",
    sees="The last row of scores is all zeros.",
    why="The loop over the queries ends one turn early, so that row keeps the value the tensor began with.",
    hint="Compare the number of rows that were filled with the number of tokens.",
)
def loop_stops_before_the_last_query(query: Tensor, keys: Tensor) -> Tensor:
    scores = attention_scores(query, keys)
    scores[..., -1, :] = 0
    return scores


@SCORES.mistake(
    name="both-loops-stop-early",
    sees="The last row and the last column of the scores are all zeros.",
    why="Both loops end one turn early, so the last token takes part neither as a query nor as a key.",
    hint="Look at the upper bound that the two loops share.",
)
def both_loops_stop_early(query: Tensor, keys: Tensor) -> Tensor:
    scores = attention_scores(query, keys)
    scores[..., -1, :] = 0
    scores[..., -1] = 0
    return scores


@SCORES.mistake(
    name="loop-starts-after-the-first-key",
    sees="The score for the first key is zero.",
    why="The loop begins at index 1, and the first key has index 0.",
    hint="Print the first index that the loop uses.",
)
def loop_starts_after_the_first_key(query: Tensor, keys: Tensor) -> Tensor:
    scores = attention_scores(query, keys)
    scores[..., 0] = 0
    return scores


@SCORES.mistake(
    name="only-the-diagonal",
    sees="Only the diagonal is filled, and every other score is zero.",
    why="One loop pairs each query with the key of its own token, but every query has to meet every key.",
    hint="Count the pairs of a query and a key for three tokens, and the scores that you compute.",
)
def only_the_diagonal(query: Tensor, keys: Tensor) -> Tensor:
    return torch.diag_embed((query * keys).sum(dim=-1))


@SCORES.mistake(
    name="one-score-a-token",
    sees="There is one score for each token where a whole row is expected.",
    why="Rows of queries were paired with rows of keys, so each query met one key only.",
    hint="Compare the shape of the scores with the number of pairs of tokens.",
)
def one_score_a_token(query: Tensor, keys: Tensor) -> Tensor:
    return (query * keys).sum(dim=-1)


@SCORES.mistake(
    name="cosine-similarity",
    sees="No score leaves the range from -1 to 1.",
    why="Dividing by the lengths keeps only the angle between two vectors, and attention uses their lengths "
    "too.",
    hint="Double one key and see whether its score doubles.",
)
def cosine_similarity(query: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(functional.normalize(query, dim=-1), functional.normalize(keys, dim=-1))


@SCORES.mistake(
    name="second-query-for-every-row",
    sees="All rows of the scores are the same.",
    why="The query of one token was used for every row, while each token has a query of its own.",
    hint="Look for a fixed index that was right for a single query.",
)
def second_query_for_every_row(query: Tensor, keys: Tensor) -> Tensor:
    scores = attention_scores(query, keys)
    return scores[..., 1:2, :].expand_as(scores).clone()


@SCORES.mistake(
    name="one-row-of-scores-only",
    sees="There is a single row of scores where every token should have one.",
    why="One query was used and the others were left out.",
    hint="Compare the number of rows with the number of tokens that ask.",
)
def one_row_of_scores_only(query: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(query, keys)[..., 1, :]


@SCORES.mistake(
    name="mean-of-the-products",
    sees="Every score is the right one divided by the width of a key.",
    why="A score is the sum of the products of matching entries, and a mean divides that sum.",
    hint="Check how the products are brought together.",
)
def mean_of_the_products(query: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(query, keys) / keys.shape[-1]


@SCORES.mistake(
    name="summed-over-the-tokens",
    sees="There is one number for each feature and none for a token.",
    why="The products were added up along the axis of tokens, which is the one that should be left.",
    hint="Print the shape of the products before the sum and ask which axis should disappear.",
)
def summed_over_the_tokens(query: Tensor, keys: Tensor) -> Tensor:
    return (query * keys).sum(dim=-2)


@SCORES.mistake(
    name="scores-above-the-diagonal-only",
    sees="Below the diagonal all scores are zero.",
    why="The inner loop starts at the outer loop's index, so half of the pairs are never computed.",
    hint="Print the pairs of indices that the two loops visit for three tokens.",
)
def scores_above_the_diagonal_only(query: Tensor, keys: Tensor) -> Tensor:
    return torch.triu(attention_scores(query, keys))


@SCORES.mistake(
    name="half-of-the-scores-mirrored",
    sees="The scores are symmetric, and right only on the diagonal and above it.",
    why="With raw inputs the scores were symmetric; once queries and keys differ, the two halves differ too.",
    hint="Compute one score below the diagonal by hand and compare it with its mirror image.",
)
def half_of_the_scores_mirrored(query: Tensor, keys: Tensor) -> Tensor:
    upper = torch.triu(attention_scores(query, keys))
    return upper + torch.triu(upper, diagonal=1).transpose(-2, -1)


@SCORES.mistake(
    name="query-fixed-to-the-second-token",
    sees="The scores are right for the example of the text and never change with the query.",
    why="The function takes the second token by its index and does not look at the query it was given.",
    hint="Check that the query appears in the body of your function.",
)
def query_fixed_to_the_second_token(keys: Tensor) -> Tensor:
    return attention_scores(keys[1], keys)


@SCORES.mistake(
    name="scores-scaled-too-early",
    sees="The scores are right up to one constant factor.",
    why="The scaling is not part of this step, and where it follows it would be done a second time.",
    hint="Compare one of your scores with a dot product worked out by hand.",
)
def scores_scaled_too_early(query: Tensor, keys: Tensor) -> Tensor:
    return scaled_scores(attention_scores(query, keys), keys)


@SCORES.mistake(
    name="weights-instead-of-scores",
    sees="The numbers are all positive and add up to one.",
    why="Softmax has already been applied, although this step asks for the raw scores.",
    hint="Ask what a score may be that a weight may not, and at which step it changes.",
)
def weights_instead_of_scores(query: Tensor, keys: Tensor) -> Tensor:
    return attention_weights(attention_scores(query, keys))


@SCORES.mistake(
    name="only-the-last-score-kept",
    sees="The result is a single number for each query, the score of the last key.",
    why="Each turn of the loop puts its score in the place of the one before.",
    hint="Look at what the loop keeps from one turn to the next.",
)
def only_the_last_score_kept(query: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(query, keys)[..., -1]


@SCORES.mistake(
    name="scores-as-one-row",
    sees="The numbers are right, but they stand in a matrix of one row.",
    why="The query kept an axis that an index would have removed, and it shows in the scores.",
    hint="Print the shape of the query that enters the product.",
)
def scores_as_one_row(query: Tensor, keys: Tensor) -> Tensor:
    return attention_scores(_by_rows(query), keys)
