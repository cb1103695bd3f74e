"""Builds a student's ``nn.Module``, gives it weights, watches its ``forward`` and reports on its parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from stageprobe._call import Raised, Returned, attempt
from stageprobe._watch import Watch


def build(kind: Any, sizes: Sequence[int]) -> tuple[Any, Raised | None, bool]:
    """The object, or what building it raised; and whether ``nn.Module``'s own constructor had to be run for it.

    A class that forgets ``super().__init__()`` is built all the same, so that the stages after its
    parameters can be judged for themselves.
    """
    outcome = attempt(lambda: kind(*sizes))
    if isinstance(outcome, Returned):
        return outcome.value, None, False
    if not (isinstance(kind, type) and issubclass(kind, nn.Module)):
        return None, outcome, False

    def with_base() -> object:
        made = kind.__new__(kind)
        nn.Module.__init__(made)
        kind.__init__(made, *sizes)
        return made

    again = attempt(with_base)
    return (again.value, outcome, True) if isinstance(again, Returned) else (None, outcome, False)


def set_weights(made: Any, weights: Mapping[str, Tensor], biases: Mapping[str, Tensor]) -> list[str]:
    """Give each weight its tensor (d_in, d_out); names those that the object has in no usable form."""
    unset = []
    for name, value in weights.items():
        outcome = attempt(lambda name=name, value=value: _set(made, name, value, biases))  # type: ignore[misc]
        if not (isinstance(outcome, Returned) and outcome.value is True):
            unset.append(name)
    return unset


def _set(made: Any, name: str, value: Tensor, biases: Mapping[str, Tensor]) -> bool:
    held = getattr(made, name, None)
    with torch.no_grad():
        if isinstance(held, nn.Linear):
            if held.weight.shape != value.T.shape:
                return False
            held.weight.copy_(value.T)
            if held.bias is not None:
                held.bias.copy_(biases.get(name, torch.zeros_like(held.bias)))
            return True
        if isinstance(held, Tensor):
            for form in (value, value.T):
                if held.shape == form.shape:
                    # Through .data: a plain tensor may be a view, or need a gradient.
                    held.data.copy_(form)
                    return True
    return False


def forward(made: Any, inputs: Mapping[str, Tensor]) -> tuple[Returned | Raised, list[Tensor]]:
    """What calling the object gives, and the tensors made on the way."""
    copies = {name: value.clone() for name, value in inputs.items()}
    watch = Watch()

    def run() -> object:
        with watch:
            return made(*copies.values())

    return attempt(run, inputs, copies), watch.made


def parameters_report(made: Any, weights: Sequence[str], inputs: Mapping[str, Tensor]) -> Returned:
    """For each weight: how it is held, and what a forward pass and one step of training do to it.

    ``None`` stands for a weight that is not there. Shapes are (in, out), an ``nn.Linear``'s too. Besides goes
    what that forward pass gave, and whether another one gave the same.
    """
    held = {name: _tensor_of(getattr(made, name, None)) for name in weights}
    registered = {id(p) for p in made.parameters()} if isinstance(made, nn.Module) else set()
    before = {name: t.detach().clone() for name, t in held.items() if t is not None}
    with torch.enable_grad():
        outcome = attempt(lambda: made(*(value.clone() for value in inputs.values())))
    after_forward = {name: t.detach().clone() for name, t in held.items() if t is not None}
    ran = isinstance(outcome, Returned) and isinstance(outcome.value, Tensor)
    again = attempt(lambda: made(*(value.clone() for value in inputs.values()))) if ran else None
    if ran:
        attempt(lambda: _train(made, outcome.value))  # type: ignore[union-attr]
    report: dict[str, Any] = {}
    for name, tensor in held.items():
        if tensor is None:
            report[name] = None
            continue
        linear = isinstance(getattr(made, name, None), nn.Linear)
        shape = tuple(tensor.shape)
        gradient = tensor.grad is not None and bool((tensor.grad != 0).any())
        report[name] = {
            "registered": id(tensor) in registered,
            "trainable": bool(tensor.requires_grad),
            "shape": shape[::-1] if linear else shape,
            "unchanged by forward": torch.equal(before[name], after_forward[name]),
            # Where forward itself fails, gradients cannot be looked at and are not held against the parameters.
            "gradient": gradient if ran else bool(tensor.requires_grad),
            "changed by training": not torch.equal(after_forward[name], tensor.detach())
            if ran
            else bool(tensor.requires_grad),
        }
    if not ran:
        return Returned(report)
    return Returned(report, extra={"output": outcome.value, "repeats": _gave_the_same(outcome, again)})  # type: ignore[union-attr]


def _gave_the_same(one: Any, other: Any) -> bool:
    """Whether two calls gave tensors that are equal entry by entry."""

    def equal() -> object:
        first, second = one.value.detach(), other.value.detach()
        return first.shape == second.shape and torch.allclose(first, second, rtol=0, atol=0, equal_nan=True)

    found = attempt(equal)
    return isinstance(found, Returned) and found.value is True


def _tensor_of(held: object) -> Tensor | None:
    if isinstance(held, nn.Linear):
        return held.weight
    return held if isinstance(held, Tensor) else None


def _train(made: nn.Module, output: Any) -> None:
    """One step of gradient descent on a loss that no symmetry of the output makes flat."""
    slope = torch.arange(1.0, output.numel() + 1).reshape(output.shape)
    (output * slope).sum().backward()
    with torch.no_grad():
        for parameter in made.parameters():
            if parameter.grad is not None:
                parameter.sub_(0.1 * parameter.grad)
