"""Mistakes in where the one query comes from."""

import torch
from torch import Tensor

from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines._value import Value
from stagegrade.pipelines.mistakes._slips import Reference, projected, with_views

QUERY_SOURCE = Catalogue("query_source")


@QUERY_SOURCE.mistake(
    name="query-from-the-third-token",
    sees="The query belongs to the token after the one asked for.",
    why="Python counts from 0, so the number that a token has in speech is one more than its index.",
    hint="Say aloud which index the first token has, and count on from there.",
)
def query_from_the_third_token(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=inputs[2] @ W_query)


@QUERY_SOURCE.mistake(
    name="query-from-the-first-token",
    sees="The query belongs to the token before the one asked for.",
    why="The example follows the second token, and the query has to be made from that token's own row.",
    hint="Print the row that you project and find it among the tokens of the sentence.",
)
def query_from_the_first_token(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=inputs[0] @ W_query)


@QUERY_SOURCE.mistake(
    name="query-from-the-last-token",
    sees="The query belongs to the last token of the sentence, whatever its length.",
    why="A negative index counts from the end, and what a loop leaves behind is its last token.",
    hint="Check what the index refers to when the sentence is longer.",
)
def query_from_the_last_token(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=inputs[-1] @ W_query)


@QUERY_SOURCE.mistake(
    name="query-from-a-column",
    sees="PyTorch reports that the sizes do not fit, because the vector is as long as the sentence.",
    why="A column holds one feature of every token, where a query needs every feature of one token.",
    hint="Print the length of the vector you project and compare it with d_in.",
)
def query_from_a_column(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=inputs[:, 1] @ W_query)


@QUERY_SOURCE.mistake(
    name="query-for-every-token",
    sees="The query is a matrix with one row a token.",
    why="This step follows one token only, and a later step expects its single vector.",
    hint="Compare the shape you get with the shape that the exercise names, and see which axis is too many.",
)
def query_for_every_token(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=inputs @ W_query)


@QUERY_SOURCE.mistake(
    name="query-kept-as-a-matrix",
    sees="The query's numbers are right, but it is a matrix of one row.",
    why="A slice keeps the axis that an index takes away, and the later steps expect a vector.",
    hint="Look at how the token's row is picked, and at the number of axes that leaves.",
)
def query_kept_as_a_matrix(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=inputs[1:2] @ W_query)


@QUERY_SOURCE.mistake(
    name="query-from-the-mean-token",
    sees="The query does not change when the tokens are put in another order.",
    why="The mean of all rows stands for the whole sentence, while a query speaks for one token.",
    hint="Ask which single row of the inputs the query should depend on, and change another row to try.",
)
def query_from_the_mean_token(
    reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Value:
    right = projected(reference, inputs, W_query, W_key, W_value)
    return with_views(right, query=torch.mean(inputs, dim=0) @ W_query)
