"""A backend around another, which does all the work: a subclass adds something to some of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core.backend import Backend
from reflow.core.context import State

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.tensor import EagerTensor, Tensor
    from reflow.core.types import Attrs, Dims, Value
    from reflow.ops.record import Op


class Around(Backend):
    """`inner` does everything; without one, the process' backend does."""

    def __init__(self, inner: Backend | None = None) -> None:
        self._inner = inner

    inner = property(lambda self: self._inner or State.backend)
    base = property(lambda self: self._inner and self._inner.base)

    def around(self, base: Backend | None) -> Backend | None:
        return self._with(self._inner.around(base) if self._inner else base)

    def _with(self, inner: Backend | None) -> Backend:
        """The same around another backend."""
        return type(self)(inner)

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        return self.inner.execute(op, inputs, attrs)

    def building(self, graph: Any) -> Any:
        return self.inner.building(graph)

    def constant(self, array: np.ndarray, dtype: DType | None = None) -> EagerTensor:
        return self.inner.constant(array, dtype)

    def handle(self, dtype: DType, dims: Dims | None, name: str, value: EagerTensor) -> EagerTensor:
        return self.inner.handle(dtype, dims, name, value)

    def run(self, graph: Any, values: Sequence[Value]) -> list[Value]:
        return self.inner.run(graph, values)

    def argument(self, tensor: Tensor) -> Value:
        return self.inner.argument(tensor)

    def result(self, value: Value, dtype: DType | None = None) -> EagerTensor:
        return self.inner.result(value, dtype)

    def device_of(self, value: Value) -> str:
        return self.inner.device_of(value)

    def copy_to(self, tensor: EagerTensor, device: str) -> EagerTensor:
        return self.inner.copy_to(tensor, device)
