"""Builds a student's ``nn.Module``, gives it weights, watches its ``forward`` and reports on its parameters."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from stageprobe._call import Raised, Returned, attempt
from stageprobe._watch import Watch


def build(kind: Any, sizes: Sequence[int], seed: int | None = None) -> tuple[Any, Raised | None, bool]:
    """The object, or what building it raised; and whether ``nn.Module``'s own constructor had to be run for it.

    A class that forgets ``super().__init__()`` is built all the same, so that the stages after its
    parameters can be judged for themselves. With a ``seed`` its starting values are those of that seed.
    """
    if seed is not None:
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            return build(kind, sizes)
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


def forward(made: Any, inputs: Mapping[str, Tensor], watch: Watch | None = None) -> Returned | Raised:
    """What calling the object gives; ``watch`` sees what is made on the way."""
    copies = {name: value.clone() for name, value in inputs.items()}

    def run() -> object:
        with watch or nullcontext():
            return made(*copies.values())

    return attempt(run, inputs, copies)


def gives_the_same_again(made: Any, inputs: Mapping[str, Tensor], outcome: Returned | Raised) -> bool:
    """Whether another call with the same inputs gives what the call with this ``outcome`` did, as far as it shows."""
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, Tensor):
        return True
    again = forward(made, inputs)
    return isinstance(again, Raised) or _gave_the_same(outcome, again)


def starting_values(made: Any, weights: Sequence[str]) -> dict[str, Tensor]:
    """What each weight holds before anybody sets it, (in, out), an ``nn.Linear``'s too."""
    found = {}
    for name in weights:
        held = getattr(made, name, None)
        tensor = _tensor_of(held)
        if tensor is not None:
            found[name] = (tensor.T if isinstance(held, nn.Linear) else tensor).detach().clone()
    return found


def parameters_report(
    made: Any, weights: Sequence[str], inputs: Mapping[str, Tensor] | None, start: Mapping[str, Tensor]
) -> Returned:
    """For each weight: how it is held, and what a forward pass and one step of training do to it.

    Without ``inputs`` there is no forward pass.

    ``None`` stands for a weight that is not there. Shapes are (in, out), an ``nn.Linear``'s too. Then whether there
    are weights under other names, and whether two calls agree. Besides goes what a forward pass gave.
    """
    held = {name: _tensor_of(getattr(made, name, None)) for name in weights}
    registered = {id(p) for p in made.parameters()} if isinstance(made, nn.Module) else set()
    before = {name: t.detach().clone() for name, t in held.items() if t is not None}

    def forward() -> object:
        given = None if inputs is None else made(*(value.clone() for value in inputs.values()))
        # Right values, and no way back from them to the weights.
        return torch.tensor(given) if isinstance(given, np.ndarray) else given

    with torch.enable_grad():
        outcome = attempt(forward)
    after_forward = {name: t.detach().clone() for name, t in held.items() if t is not None}
    ran = isinstance(outcome, Returned) and isinstance(outcome.value, Tensor)
    again = attempt(forward) if ran else None
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
            "start": start.get(name),
        }
    report["other weights"] = _holds_others(made, held)
    report["two calls agree"] = not ran or _gave_the_same(outcome, again)
    return Returned(report, extra={"output": outcome.value if ran else None})  # type: ignore[union-attr]


def _holds_others(made: Any, held: Mapping[str, Tensor | None]) -> bool:
    """Whether there are matrices among its parameters and attributes that bear none of the names asked for."""
    known = {id(tensor) for tensor in held.values() if tensor is not None}
    parameters = list(made.parameters()) if isinstance(made, nn.Module) else []
    tensors = [*parameters, *(value for value in vars(made).values() if isinstance(value, Tensor))]
    return any(id(tensor) not in known and tensor.dim() >= 2 for tensor in tensors)


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
