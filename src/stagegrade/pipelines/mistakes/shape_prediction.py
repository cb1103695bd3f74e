"""Mistakes in predicting the rows and columns of the output."""

from stagegrade.pipelines._mistake import Catalogue
from stagegrade.pipelines._value import Value

SHAPE_PREDICTION = Catalogue("shape_prediction")


@SHAPE_PREDICTION.mistake(
    name="rows-and-columns-exchanged",
    sees="Both numbers are right, but they stand in the wrong order.",
    why="A shape names rows first, and in these matrices a row is a token.",
    hint="Print the shape of the inputs and say what its first number counts.",
)
def rows_and_columns_exchanged(n: int, d_out: int) -> Value:
    return d_out, n


@SHAPE_PREDICTION.mistake(
    name="columns-as-wide-as-the-inputs",
    sees="The number of rows is right, and the columns are as many as the inputs have.",
    why="The tokens are projected on their way, and the projection settles how wide they are afterwards.",
    hint="Follow one token through the layer and note its width after each step.",
)
def columns_as_wide_as_the_inputs(n: int, d_in: int) -> Value:
    return n, d_in


@SHAPE_PREDICTION.mistake(
    name="shape-of-a-weight-matrix",
    sees="The prediction is the shape of a weight matrix, and it does not depend on the sentence.",
    why="Weights stay the same for every sentence, while the output holds something for each of its tokens.",
    hint="Ask whether a longer sentence should give a larger output.",
)
def shape_of_a_weight_matrix(d_in: int, d_out: int) -> Value:
    return d_in, d_out


@SHAPE_PREDICTION.mistake(
    name="shape-of-a-linear-weight",
    sees="The prediction is the shape in which nn.Linear stores its weight.",
    why="That shape belongs to something learned and kept, and not to what comes out for a sentence.",
    hint="Ask how many tokens go in, and where their number is found in your prediction.",
)
def shape_of_a_linear_weight(d_in: int, d_out: int) -> Value:
    return d_out, d_in


@SHAPE_PREDICTION.mistake(
    name="shape-of-the-attention-weights",
    sees="Rows and columns both count tokens.",
    why="A square of tokens against tokens is a stage on the way, before the values are mixed.",
    hint="Ask what happens to the attention weights before the output is there.",
)
def shape_of_the_attention_weights(n: int) -> Value:
    return n, n


@SHAPE_PREDICTION.mistake(
    name="shape-of-one-context-vector",
    sees="The prediction has one number, the length of a single context vector.",
    why="The layer answers for every token at once and not for one token alone.",
    hint="Count the queries that the layer asks.",
)
def shape_of_one_context_vector(d_out: int) -> Value:
    return (d_out,)


@SHAPE_PREDICTION.mistake(
    name="a-single-row",
    sees="The prediction has one row, whatever the number of tokens.",
    why="A sentence is not summed up in one vector here: each token gets a context of its own.",
    hint="Ask for which of the tokens your one row would stand.",
)
def a_single_row(d_out: int) -> Value:
    return 1, d_out


@SHAPE_PREDICTION.mistake(
    name="three-views-side-by-side",
    sees="The prediction is three times as wide as it should be.",
    why="Queries, keys and values are not put side by side; two of them are used up for the weights.",
    hint="Ask which of the three views still exists in the output.",
)
def three_views_side_by_side(n: int, d_out: int) -> Value:
    return n, 3 * d_out


@SHAPE_PREDICTION.mistake(
    name="shape-of-the-worked-example",
    sees="The prediction is right for the example of the text and the same for any other sizes.",
    why="The numbers were written down from one example, while the question is where they come from.",
    hint="Say for each of the two numbers which property of the inputs or of the layer it is.",
)
def shape_of_the_worked_example() -> Value:
    return 6, 2


@SHAPE_PREDICTION.mistake(
    name="a-batch-put-in-front",
    sees="The prediction has three numbers, the first of them one.",
    why="A single sentence goes in without a batch, and no step adds an axis.",
    hint="Compare the number of axes of the inputs with that of your prediction.",
)
def a_batch_put_in_front(n: int, d_out: int) -> Value:
    return 1, n, d_out


@SHAPE_PREDICTION.mistake(
    name="number-of-entries",
    sees="The prediction is a single number, that of all entries.",
    why="Many shapes have the same number of entries, so it does not say what a row or a column is.",
    hint="Ask how those entries are arranged.",
)
def number_of_entries(n: int, d_out: int) -> Value:
    return n * d_out
