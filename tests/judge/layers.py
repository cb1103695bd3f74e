"""``SelfAttention_v1`` as students write it. Each class says in its name what is its own."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional


class Parameters(nn.Module):
    """As the course has it."""

    W_query: Any
    W_key: Any
    W_value: Any

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def project(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value

    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        scores = queries @ keys.transpose(-2, -1)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


class Linears(Parameters):
    bias = False

    def __init__(self, d_in: int, d_out: int) -> None:
        nn.Module.__init__(self)
        self.W_query = nn.Linear(d_in, d_out, bias=self.bias)
        self.W_key = nn.Linear(d_in, d_out, bias=self.bias)
        self.W_value = nn.Linear(d_in, d_out, bias=self.bias)

    def project(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)


class Einsum(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        q, k, v = (
            torch.einsum("...nd,dk->...nk", inputs, w) for w in (self.W_query, self.W_key, self.W_value)
        )
        scores = torch.einsum("...ik,...jk->...ij", q, k) / math.sqrt(q.shape[-1])
        return torch.einsum("...ij,...jk->...ik", scores.softmax(-1), v)


class Loops(Parameters):
    """One query after another, one key after another, one sequence of a batch after another."""

    def forward(self, inputs: Tensor) -> Any:
        if inputs.dim() == 3:
            return torch.stack([self(sequence) for sequence in inputs])
        queries, keys, values = self.project(inputs)
        rows = []
        for query in queries:
            scores = torch.stack([(query * key).sum() for key in keys]) / keys.shape[-1] ** 0.5
            exponentials = torch.exp(scores - scores.max())
            weights = exponentials / exponentials.sum()
            context = torch.zeros(values.shape[-1])
            for weight, value in zip(weights, values, strict=True):
                context = context + weight * value
            rows.append(context)
        return torch.stack(rows)


class Fused(Linears):
    def forward(self, inputs: Tensor) -> Any:
        return functional.scaled_dot_product_attention(*self.project(inputs))


class Float64(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        q, k, v = (part.double() for part in self.project(inputs))
        return torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1) @ v


class InNumPy(Parameters):
    """A right output that no gradient flows through."""

    def forward(self, inputs: Tensor) -> Any:
        q, k, v = (part.detach().numpy() for part in self.project(inputs))
        scores = q @ np.swapaxes(k, -2, -1) / math.sqrt(k.shape[-1])
        exponentials = np.exp(scores - scores.max(-1, keepdims=True))
        return torch.from_numpy(exponentials / exponentials.sum(-1, keepdims=True) @ v)


class Mapped(Parameters):
    """One sequence's work, mapped over a batch by torch."""

    def forward(self, inputs: Tensor) -> Any:
        return torch.vmap(super().forward)(inputs) if inputs.dim() == 3 else super().forward(inputs)


class QueryScaledFirst(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        queries = queries / keys.shape[-1] ** 0.5
        return torch.softmax(queries @ keys.mT, dim=-1) @ values


class WithExtras(Linears):
    """More than is asked: another layer that does nothing, a list, a buffer, an argument with a default."""

    def __init__(self, d_in: int, d_out: int, dropout: float = 0.0) -> None:
        super().__init__(d_in, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("steps", torch.zeros(1))
        self.seen: list[Any] = []

    def forward(self, inputs: Tensor) -> Any:
        self.seen.append(inputs.shape)
        queries, keys, values = self.project(inputs)
        return self.dropout(torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)) @ values


class Remembering(Parameters):
    """Keeps each step on itself, for a look at it afterwards."""

    def forward(self, inputs: Tensor) -> Any:
        self.queries, self.keys, self.values = self.project(inputs)
        self.scores = self.queries @ self.keys.mT
        self.weights = (self.scores / self.keys.size(-1) ** 0.5).softmax(-1)
        return self.weights @ self.values


class WithBias(Linears):
    bias = True


class NotWritten(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        raise NotImplementedError


class NothingAtAll(nn.Module):
    pass


class WithoutBase(Parameters):
    """The call of ``super().__init__()`` is missing."""

    def __init__(self, d_in: int, d_out: int) -> None:
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))


class PlainTensors(Parameters):
    def __init__(self, d_in: int, d_out: int) -> None:
        nn.Module.__init__(self)
        self.W_query = torch.rand(d_in, d_out)
        self.W_key = torch.rand(d_in, d_out)
        self.W_value = torch.rand(d_in, d_out)


class SizesExchanged(Parameters):
    """``torch.rand(d_out, d_in)``, and ``.T`` where they are used: right output, other parameters."""

    def __init__(self, d_in: int, d_out: int) -> None:
        nn.Module.__init__(self)
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def project(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return inputs @ self.W_query.T, inputs @ self.W_key.T, inputs @ self.W_value.T


class WeightsMadeInForward(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Parameter(torch.rand_like(getattr(self, name))))
        return super().forward(inputs)


class OneMissing(Parameters):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__(d_in, d_out)
        del self.W_value

    def project(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_key


class RaisesInScores(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, _ = self.project(inputs)
        return queries @ keys


class DotT(Parameters):
    """``.T``, which turns a batch round."""

    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ values


class QueriesAndKeysSwapped(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        keys, queries, values = self.project(inputs)
        return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1) @ values


class ScoresTransposed(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        return torch.softmax(keys @ queries.mT / keys.shape[-1] ** 0.5, dim=-1) @ values


class NotScaled(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        return torch.softmax(queries @ keys.mT, dim=-1) @ values


class SoftmaxDownTheColumns(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-2) @ values


class WeightsReturned(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, _ = self.project(inputs)
        return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)


class OddScaling(Parameters):
    """Off by a number of its own, which no catalogue holds."""

    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        return torch.softmax(queries @ keys.mT / (keys.shape[-1] ** 0.5 + 0.37), dim=-1) @ values


class OddContext(Parameters):
    """Right up to the weights, then something of its own."""

    def forward(self, inputs: Tensor) -> Any:
        return super().forward(inputs) * 1.3 + 0.2


class OddProjectionInHalf(Parameters):
    """Another dtype on the way, and a first stage that is wrong in a way of its own."""

    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs * 1.1 + 0.3)
        weights = torch.softmax(queries.double() @ keys.double().mT / keys.shape[-1] ** 0.5, dim=-1)
        return weights.float() @ values


class DoesNothing(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        pass


class GivesBackItsInput(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        return inputs


class GivesZeros(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        return torch.zeros(*inputs.shape[:-1], self.W_query.shape[-1])


class ProjectsOnly(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        self.project(inputs)


class GivesTheValues(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        return self.project(inputs)[2]


class GivesTheScores(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, _ = self.project(inputs)
        return queries @ keys.mT


class ReturnsNothing(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        super().forward(inputs)


class ReturnsATuple(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        return super().forward(inputs), None


class ChangesItsInput(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        found = super().forward(inputs)
        inputs.zero_()
        return found


class RaisesWhenLookedAt(Parameters):
    """An attribute that raises what no attribute should."""

    def __getattr__(self, name: str) -> Any:
        if name == "W_key":
            raise KeyError(name)
        return super().__getattr__(name)


class KeysKept(Parameters):
    """The keys of the first call serve every later one of the same shape."""

    kept: Any = None

    def project(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        if self.kept is None or self.kept.shape[:-1] != inputs.shape[:-1]:
            self.kept = inputs @ self.W_key
        return inputs @ self.W_query, self.kept, inputs @ self.W_value


class ResultKept(Parameters):
    kept: Any = None

    def forward(self, inputs: Tensor) -> Any:
        if self.kept is None or self.kept.shape[:-1] != inputs.shape[:-1]:
            self.kept = super().forward(inputs)
        return self.kept


class WeightsKept(Parameters):
    """Joined once, at the first call: what training changes later is not read."""

    kept: Any = None

    def project(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        if self.kept is None:
            self.kept = torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
        queries, keys, values = (inputs @ self.kept).chunk(3, dim=-1)
        return queries, keys, values


class WithDropout(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        weights = torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)
        return functional.dropout(weights, 0.1) @ values


class NoisyScores(Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        scores = queries @ keys.mT
        scaled = (scores + 0.1 * torch.randn_like(scores)) / keys.shape[-1] ** 0.5
        return torch.softmax(scaled, dim=-1) @ values


class ChangesW_value(Parameters):  # noqa: N801 - the weight is written as the field writes it
    def forward(self, inputs: Tensor) -> Any:
        self.W_value.data = self.W_value.data * 1.01
        return super().forward(inputs)


class ValuesMadeWithW_key(Parameters):  # noqa: N801 - the weight is written as the field writes it
    def project(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_key


class GivesAnArray(Parameters):
    """Right values in a form that no gradient comes from."""

    def forward(self, inputs: Tensor) -> Any:
        return super().forward(inputs).detach().numpy()


class FillsMemory(Parameters):
    """Between scaling and softmax there is no memory left."""

    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        scaled = queries @ keys.mT / keys.shape[-1] ** 0.5
        if scaled.numel():
            raise MemoryError
        return torch.softmax(scaled, dim=-1) @ values


class WorksOnce(Parameters):
    used = False

    def forward(self, inputs: Tensor) -> Any:
        if self.used:
            raise RuntimeError("used up")
        self.used = True
        return super().forward(inputs)
