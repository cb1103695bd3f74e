"""Slips in how a module holds its weights: lines for the constructor and lines that begin ``forward``.

``self.W_query``, ``self.W_key`` and ``self.W_value`` are read by the rest of ``forward``, which is right, by way of
``W_query``, ``W_key`` and ``W_value``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_NAMES = ("W_query", "W_key", "W_value")
_PARAMETER = "self.{name} = nn.Parameter(torch.rand(d_in, d_out))"
_LINEAR_TURNED = "self.{name} = nn.Linear(d_out, d_in, bias=False)"
_COPIED = "W_query, W_key, W_value = self.W_query.clone(), self.W_key.clone(), self.W_value.clone()\n"
_CHANGED = f"""\
{_COPIED}with torch.no_grad():
    for parameter in self.parameters():
        parameter += 0.01
"""
READ = "\n".join(f"{name} = self.{name}" for name in _NAMES)


@dataclass(frozen=True, kw_only=True)
class Held:
    init: str
    forward: str = READ
    with_super: bool = True


def _each(form: str, names: tuple[str, ...] = _NAMES) -> str:
    return "\n".join(form.format(name=name) for name in names)


RIGHT = _each(_PARAMETER)

PARAMETERS: Mapping[str, tuple[Held, ...]] = {
    "plain-tensor": (Held(init=_each("self.{name} = torch.rand(d_in, d_out)")),),
    "plain-tensor-with-gradient": (
        Held(init=_each("self.{name} = torch.rand(d_in, d_out, requires_grad=True)")),
        Held(
            init="for name in ('W_query', 'W_key', 'W_value'):\n"
            "    object.__setattr__(self, name, torch.rand(d_in, d_out).requires_grad_())\n"
        ),
    ),
    "value-weights-as-a-plain-tensor": (
        Held(init=_each(_PARAMETER, _NAMES[:2]) + "\nself.W_value = torch.rand(d_in, d_out)"),
    ),
    "frozen-parameters": (
        Held(init=_each("self.{name} = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)")),
        Held(init=RIGHT + "\nfor parameter in self.parameters():\n    parameter.requires_grad_(False)"),
    ),
    "super-init-missing": (Held(init=RIGHT, with_super=False),),
    "d_in-and-d_out-exchanged": (
        Held(
            init=_each("self.{name} = nn.Parameter(torch.rand(d_out, d_in))"),
            forward=_each("{name} = self.{name}.T"),
        ),
        Held(
            init=_each(_LINEAR_TURNED),
            forward=_each("{name} = self.{name}.weight"),
        ),
    ),
    "weights-d_in-by-d_in": (Held(init=_each("self.{name} = nn.Parameter(torch.rand(d_in, d_in))")),),
    "weights-d_out-by-d_out": (Held(init=_each("self.{name} = nn.Parameter(torch.rand(d_out, d_out))")),),
    "sizes-of-the-worked-example": (Held(init=_each("self.{name} = nn.Parameter(torch.rand(3, 2))")),),
    "a-vector-for-a-matrix": (Held(init=_each("self.{name} = nn.Parameter(torch.rand(d_out))")),),
    "single-weight-matrix": (
        Held(
            init="self.W_query = nn.Parameter(torch.rand(d_in, d_out))",
            forward="W_query = W_key = W_value = self.W_query",
        ),
    ),
    "no-value-weights": (
        Held(
            init=_each(_PARAMETER, _NAMES[:2]),
            forward=_each("{name} = self.{name}", _NAMES[:2]) + "\nW_value = self.W_key",
        ),
    ),
    "created-in-forward": (
        Held(init="self.d_out = d_out", forward=_each("{name} = torch.rand(inputs.shape[-1], self.d_out)")),
        Held(
            init="self.sizes = d_in, d_out", forward=_each("{name} = nn.Parameter(torch.rand(*self.sizes))")
        ),
    ),
    "weights-under-other-names": (
        Held(
            init=_each("self.{name}s = nn.Parameter(torch.rand(d_in, d_out))"),
            forward=_each("{name} = self.{name}s"),
        ),
        Held(
            init="self.q, self.k, self.v = (nn.Linear(d_in, d_out, bias=False) for _ in range(3))",
            forward="W_query, W_key, W_value = self.q.weight.T, self.k.weight.T, self.v.weight.T",
        ),
        Held(
            init="self.qkv = nn.Linear(d_in, 3 * d_out, bias=False)",
            forward="W_query, W_key, W_value = self.qkv.weight.T.chunk(3, dim=1)",
        ),
    ),
    "detached-weights": (
        Held(init=RIGHT, forward=_each("{name} = self.{name}.detach()")),
        Held(init=RIGHT, forward=_each("{name} = self.{name}.data")),
        Held(init=RIGHT, forward=_each("{name} = torch.tensor(self.{name}.tolist())")),
    ),
    "recreated-in-forward": (
        Held(init=RIGHT, forward=_each("{name} = nn.Parameter(torch.rand(*self.{name}.shape))")),
        Held(init=RIGHT, forward=_each("{name} = torch.rand_like(self.{name})")),
    ),
    "attention-weights-detached": (
        Held(
            init=RIGHT,
            forward="W_query, W_key, W_value = self.W_query.detach(), self.W_key.detach(), self.W_value",
        ),
    ),
    "values-detached": (
        Held(init=RIGHT, forward="W_query, W_key, W_value = self.W_query, self.W_key, self.W_value.detach()"),
    ),
    "changed-by-forward": (Held(init=RIGHT, forward=_CHANGED),),
    "query-weights-changed-by-forward": (
        Held(init=RIGHT, forward=_COPIED + "self.W_query.data /= self.W_query.shape[-1] ** 0.5"),
    ),
    "key-weights-changed-by-forward": (
        Held(init=RIGHT, forward=_COPIED + "with torch.no_grad():\n    self.W_key.mul_(0.5)"),
    ),
    "value-weights-changed-by-forward": (Held(init=RIGHT, forward=_COPIED + "self.W_value.data.add_(0.1)"),),
    "randn-for-rand": (Held(init=_each("self.{name} = nn.Parameter(torch.randn(d_in, d_out))")),),
    "created-in-another-order": (Held(init=_each(_PARAMETER, ("W_key", "W_query", "W_value"))),),
}
