"""A backend that checks the results of another: an op that produces a NaN or an infinity fails, and is named.

Eager results are checked as they are produced. In a graph under construction, a `CheckNumericsV2` follows each op with
floating outputs, so the function keeps its checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.backends.around import Around
from reflow.core.errors import InvalidArgumentError
from reflow.ops import registry
from reflow.ops.kernels.control.printing import signed_bad_number
from reflow.ops.kernels.control.vjp import differentiated

if TYPE_CHECKING:
    from reflow.core.tensor import Tensor
    from reflow.core.types import Attrs
    from reflow.ops.record import Op


def _passes_on(op: Op) -> bool:
    """Whether an op only forwards values: the op that produced a bad value has already been named."""
    return op.moves or op.identity


class CheckedBackend(Around):
    """`inner` runs the ops; without one, the process' backend does."""

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        out = self.inner.execute(op, inputs, attrs)
        if not _passes_on(op):
            outputs = out if isinstance(out, list) else [out]
            for i, tensor in enumerate(outputs):
                bad = signed_bad_number(tensor._host()) if tensor is not None and tensor._dtype.kind in "fc" else None
                if bad:
                    raise InvalidArgumentError(None, None, _report(op, inputs, attrs, i, outputs, bad))
        return out

    def building(self, graph: Any) -> Any:
        return CheckedTarget(self.inner.building(graph))


class CheckedTarget:
    """Adds a check after each op with floating outputs that another target has added."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.constant = inner.constant

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        out = self._inner.execute(op, inputs, attrs)
        if _passes_on(op):
            return out
        outputs = out if isinstance(out, list) else [out]
        checked = [
            self._checked(op, attrs, i, tensor, outputs)
            if getattr(tensor, "_dtype", None) and tensor._dtype.kind in "f"
            else tensor
            for i, tensor in enumerate(outputs)
        ]
        return checked if isinstance(out, list) else checked[0]

    def _checked(self, op: Op, attrs: Attrs, i: int, tensor: Any, outputs: Sequence[Tensor]) -> Any:
        message = (
            f'\n\n!!! Detected Infinity or NaN in output {i} of graph op "{_name_of(op, attrs)}" (# of outputs: '
            f'{len(outputs)}) !!!\n'
            f"  dtype: {tensor.dtype!s}\n  shape: {tensor.shape}\n\n"
        )
        return self._inner.execute(registry.get("CheckNumericsV2"), [tensor], {"message": message})


def _name_of(op: Op, attrs: Attrs) -> str:
    """The op's name; a gradient is named after its op."""
    forward = differentiated(op, attrs)
    return op.name if forward is None else f"{forward.name} (its gradient)"


def _describe(tensor: Any) -> str:
    counts: dict[str, Any] = {"-Inf": np.isneginf, "+Inf": np.isposinf, "+NaN": np.isnan}
    value = tensor._host().astype(np.float64) if tensor._dtype.kind == "f" else np.abs(tensor._host())
    lines = [f"  # of {name} elements: {int(test(value).sum())}" for name, test in counts.items() if test(value).any()]
    return "\n".join(lines)


def _report(op: Op, inputs: Sequence[Any], attrs: Attrs, i: int, outputs: Sequence[Tensor], bad: str) -> str:
    shown = "".join(f"\n         {k}: {t!s}" for k, t in enumerate(inputs))
    given = f"  Input tensor: {inputs[0]!s}" if len(inputs) == 1 else f"  Input tensors ({len(inputs)}):{shown}"
    tensor = outputs[i]
    return (
        f'\n\n!!! Detected Infinity or NaN in output {i} of eagerly-executing op "{_name_of(op, attrs)}" '
        f"(# of outputs: {len(outputs)}) !!!\n  dtype: {tensor.dtype!s}\n  shape: {tensor.shape}\n{_describe(tensor)}\n"
        "\n"
        f"{given}\n\n : Tensor had {bad} values [Op:CheckNumericsV2] name: "
    )
