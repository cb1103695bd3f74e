"""Keeps torch to one thread while something is judged."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """The tensors are tiny: sharing them out among threads takes many times what computing them does.

    The judge is a guest in another's process, nbgrader's or a notebook's, which gets its threads back.
    """
    before = torch.get_num_threads()
    if before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
