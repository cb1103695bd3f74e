"""Mistakes in which key the query is scored against."""

import torch
from torch import Tensor

from stagegrade.pipelines._mistake import Catalogue

KEY_INDEX = Catalogue("key_index")


@KEY_INDEX.mistake(
    name="third-key",
    sees="The score belongs to the key after the one asked for.",
    why="Python counts from 0, so the index of a key is one less than its number in speech.",
    hint="Print the row of scores for all keys and find yours in it.",
)
def third_key(query: Tensor, keys: Tensor) -> Tensor:
    return torch.dot(query, keys[2])


@KEY_INDEX.mistake(
    name="first-key",
    sees="The score belongs to the key before the one asked for.",
    why="Index 0 is the first key, and the exercise asks about another.",
    hint="Say which index the first row of a tensor has, then which one yours should have.",
)
def first_key(query: Tensor, keys: Tensor) -> Tensor:
    return torch.dot(query, keys[0])


@KEY_INDEX.mistake(
    name="last-key",
    sees="The score belongs to the last key, however many keys there are.",
    why="A negative index counts from the end, so the key it means moves with the length of the sentence.",
    hint="Try a longer sentence and see whether the index still means the same token.",
)
def last_key(query: Tensor, keys: Tensor) -> Tensor:
    return torch.dot(query, keys[-1])


@KEY_INDEX.mistake(
    name="column-of-the-keys",
    sees="PyTorch reports two sizes that do not agree, one of them the number of tokens.",
    why="A column holds one feature of every key, and a query can only be matched with one whole key.",
    hint="Print the shape of the keys and say which of its axes counts the tokens.",
)
def column_of_the_keys(query: Tensor, keys: Tensor) -> Tensor:
    return torch.dot(query, keys[:, 1])


@KEY_INDEX.mistake(
    name="value-instead-of-key",
    sees="PyTorch reports two sizes that do not agree, or the score fits a value rather than a key.",
    why="Values are what gets mixed in the end; matching is what keys are there for.",
    hint="Check the name of the tensor that you take the row from.",
)
def value_instead_of_key(query: Tensor, values: Tensor) -> Tensor:
    return torch.dot(query, values[1])


@KEY_INDEX.mistake(
    name="raw-input-instead-of-key",
    sees="PyTorch reports two sizes that do not agree, one of them d_in.",
    why="The raw token has not been projected, so it is not in the space in which queries and keys meet.",
    hint="Ask which of the three views of a token a query is compared with.",
)
def raw_input_instead_of_key(query: Tensor, inputs: Tensor) -> Tensor:
    return torch.dot(query, inputs[1])


@KEY_INDEX.mistake(
    name="scores-for-all-keys",
    sees="The result is a row of scores where one number is expected.",
    why="The row is a step too far: it holds the score asked for among all the others.",
    hint="Compare the shape of your result with a single number, and ask which entry was wanted.",
)
def scores_for_all_keys(query: Tensor, keys: Tensor) -> Tensor:
    return query @ keys.T


@KEY_INDEX.mistake(
    name="slice-instead-of-a-key",
    sees="The number is right, but it comes wrapped in a tensor of one entry.",
    why="A slice keeps the axis of tokens, so the product still has one entry for each key in it.",
    hint="Look at how the key is picked, and at the shape of what that gives.",
)
def slice_instead_of_a_key(query: Tensor, keys: Tensor) -> Tensor:
    return keys[1:2] @ query


@KEY_INDEX.mistake(
    name="all-keys-added-up",
    sees="The score is as large as the scores of all keys together.",
    why="Adding the keys first makes one key out of many, and the score no longer speaks of any one token.",
    hint="Change a key that should not matter here and see whether the score moves.",
)
def all_keys_added_up(query: Tensor, keys: Tensor) -> Tensor:
    return torch.dot(query, keys.sum(dim=0))
