"""What tests rely on is known again, or said to be replaced."""

import builtins
from types import SimpleNamespace
from typing import Any

import torch

from stageprobe import _codec, _whole
from stageprobe._whole import Whole


class Speaker:
    def send(self) -> None: ...


def made() -> tuple[Whole, Speaker]:
    whole, speaker = Whole(SimpleNamespace(ast_transformers=[])), Speaker()
    whole.watch(speaker)
    assert [] == whole.replaced()
    return whole, speaker


def test_what_was_replaced_is_named(monkeypatch: Any) -> None:
    """A cheat would be graded, and no person told."""
    whole, speaker = made()
    monkeypatch.setattr(torch, "equal", lambda *given: True)
    monkeypatch.setattr(speaker, "send", print, raising=False)
    monkeypatch.setattr(_codec.encode, "__code__", (lambda value, most=0: None).__code__)
    assert ["torch.equal", "Speaker.send", "stageprobe._codec.encode"] == whole.replaced()


def test_what_could_hide_it_is_not_asked(monkeypatch: Any) -> None:
    """One more replacement would hide all the others."""
    whole, _ = made()
    monkeypatch.setattr(_codec.encode, "__code__", (lambda value, most=0: None).__code__)
    monkeypatch.setattr(builtins, "all", lambda each: True)
    monkeypatch.setattr(_whole, "is_", lambda one, other: True)
    found = whole.replaced()
    monkeypatch.undo()
    assert {"builtins.all", "stageprobe._codec.encode"} <= set(found)


def test_an_object_that_was_given_another_namespace_is_named() -> None:
    """What is looked at would be the old one, where nothing changes any more."""
    whole, speaker = made()
    speaker.__dict__ = {"send": print}
    assert ["Speaker"] == whole.replaced()
