"""Values that are no tensor of numbers, compared."""

import torch

from stagegrade.diagnosis import same


def test_what_is_absent_on_both_sides_is_the_same():
    """A module without key weights would be told that something is off, and not what."""
    assert same({"W_query": True, "W_key": None}, {"W_query": True, "W_key": None})
    assert not same({"W_key": True}, {"W_key": None})
    assert not same({"W_key": None}, {"W_key": True})


def test_tensors_of_true_and_false_are_compared_by_their_entries():
    """The mistake of answering for each entry could never be named."""
    assert same(torch.tensor([True, False]), torch.tensor([True, False]))
    assert not same(torch.tensor([True, False]), torch.tensor([True, True]))
    assert not same(torch.tensor([1.0, 0.0]), torch.tensor([True, False]))
    assert not same(torch.tensor([True, False]), torch.tensor([1.0, 0.0]))
