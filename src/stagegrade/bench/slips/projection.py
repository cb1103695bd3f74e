"""Slips in projecting inputs to queries, keys and values.

A slip here gives the three views one by one, in order, between semicolons: a matrix's name stands for the inputs
times that matrix, in whatever manner; ``ROWS`` for the rows that the query is made of.
"""

from stagegrade.bench.slips._slip import Slips

PROJECTION: Slips = {
    "query-and-key-weights-swapped": {"any": "W_key; W_query; W_value"},
    "query-and-value-weights-swapped": {"any": "W_value; W_key; W_query"},
    "weights-in-the-order-key-value-query": {"any": "W_key; W_value; W_query"},
    "weights-in-the-order-value-query-key": {"any": "W_value; W_query; W_key"},
    "keys-made-with-W_query": {"any": "W_query; W_query; W_value"},
    "keys-made-with-W_value": {"any": "W_query; W_value; W_value"},
    "values-made-with-W_key": {"any": "W_query; W_key; W_key"},
    "values-made-with-W_query": {"any": "W_query; W_key; W_query"},
    "query-made-with-W_key": {"any": "W_key; W_key; W_value"},
    "query-made-with-W_value": {"any": "W_value; W_key; W_value"},
    "one-matrix-for-all-three": {"any": "W_query; W_query; W_query"},
    "one-matrix-under-three-names": {"any": "W_query; W_key; W_value"},
    "queries-left-as-raw-inputs": {"any": "ROWS; W_key; W_value"},
    "keys-left-as-raw-inputs": {"any": "W_query; inputs; W_value"},
    "values-left-as-raw-inputs": {"any": "W_query; W_key; inputs"},
    "weights-transposed": {"any": "ROWS @ W_query.T; inputs @ W_key.T; inputs @ W_value.T"},
    "weights-before-inputs": {"any": "W_query @ ROWS; W_key @ inputs; W_value @ inputs"},
    "weights-elementwise": {"any": "ROWS * W_query; inputs * W_key; inputs * W_value"},
    "linear-bias-left-on": {"any": "W_query; W_key; W_value"},
    "keys-and-values-swapped": {"any": "W_query; W_value; W_key"},
    "one-query-where-all-are-asked": {"any": "inputs[1] @ W_query; W_key; W_value"},
}

QUERY_SOURCE: Slips = {
    "query-from-the-third-token": {"any": "inputs[2] @ W_query; W_key; W_value"},
    "query-from-the-first-token": {"any": "inputs[0] @ W_query; W_key; W_value"},
    "query-from-the-last-token": {"any": "inputs[-1] @ W_query; W_key; W_value"},
    "query-from-a-column": {"any": "inputs[:, 1] @ W_query; W_key; W_value"},
    "query-for-every-token": {"any": "inputs @ W_query; W_key; W_value"},
    "query-kept-as-a-matrix": {"any": "inputs[1:2] @ W_query; W_key; W_value"},
    "query-from-the-mean-token": {"any": "inputs.mean(0) @ W_query; W_key; W_value"},
}
