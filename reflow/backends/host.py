"""The host backend: NumPy runs eager ops, and functions are interpreted or compiled for the CPU. This is the default.

On the CPU every eager op runs its NumPy kernel at every size; nothing is compiled. A `jax.Array` that a compiled
function returned is also a host value: on first use it becomes a NumPy view of the same memory (1 to 3 µs).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.compile import runner
from reflow.core import errors
from reflow.core.backend import Backend
from reflow.core.context import entered_again, state
from reflow.core.failures import FAILURES
from reflow.core.resources import Handle
from reflow.core.tensor import EagerTensor, HostObject, ndarray
from reflow.devices.names import CPU0
from reflow.eager.execute import check_dtypes, makes_quantized, name_error, record, result_types, run_kernel, translate
from reflow.eager.tracebacks import cause
from reflow.graph.target import GraphTarget
from reflow.ops.xp import host as host_xp

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.types import Attrs, Dims, Value
    from reflow.ops.record import Op


def quantized_results(op: Op, inputs: Sequence[Any], attrs: Attrs, out: Any) -> Any:
    """The tensors of an op whose arrays do not distinguish quantized from plain integers: the node's types do."""
    types = result_types(op, inputs, attrs)
    results = [EagerTensor(value, dtype) for value, dtype in zip([out] if op.single else out, types, strict=True)]
    if state.tapes:
        record(op, inputs, tuple(results), attrs)
    return results[0] if op.single else results


def passed(tensor: Any) -> Value:
    """The value of a function argument.

    A tensor that is passed a second time moves to XLA's memory permanently: as a NumPy array it would be transferred in
    each call (2.4 µs, and a copy). For a batch that is used once, the move would not pay off.
    """
    value = tensor._value
    if type(value) is ndarray and value.dtype != object:
        if tensor._passed and not state.interpreting:
            value = tensor._value = runner.to_device(value)
        else:
            tensor._passed = True
    return value


class HostBackend(Backend):
    """All values are arrays in host memory, or objects."""

    direct = True

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        values = []
        for t in inputs:
            value = t._value
            if type(value) is not ndarray and not isinstance(value, HostObject):
                value = t._value = np.asarray(value)
            values.append(value)
        # `check_dtypes`, which finds the words of the error, is called only if there is one: its call takes 0.2 µs
        if op.first_dtypes is not None and inputs[0]._dtype.enum not in op.first_dtypes:
            check_dtypes(op, inputs)
        for i, j in op.equal_dtypes:
            if inputs[i]._dtype is not inputs[j]._dtype:
                check_dtypes(op, inputs)
        for i, enums in op.other_dtypes:
            if inputs[i]._dtype.enum not in enums:
                check_dtypes(op, inputs)
        direct = state.direct
        try:
            if not op.plain:
                out = run_kernel(op, values, attrs)
            else:
                try:
                    out = (direct or state.run)(op.kernel, host_xp, *values, **attrs)
                except RuntimeError as error:
                    out = entered_again(error)(op.kernel, host_xp, *values, **attrs)
        except FAILURES as error:
            raise translate(op, inputs, attrs, error) from cause(error)
        except errors.OpError as error:
            name_error(op, error)
            raise
        if op.may_be_quantized:  # few are
            place, attr = op.dtype_input, op.dtype_attr
            if (
                place is not None
                and inputs[place]._dtype.kind == "q"
                or attr is not None
                and attrs[attr].kind == "q"
                or op.dtype_attrs
                and makes_quantized(op, inputs, attrs)
            ):
                return quantized_results(op, inputs, attrs, out)
        if op.single:
            result = EagerTensor(out)
            if direct is None and state.tapes:
                record(op, inputs, (result,), attrs)
            return result
        results = [EagerTensor(v) for v in out]
        if direct is None and state.tapes:
            record(op, inputs, tuple(results), attrs)
        return results

    def building(self, graph: Any) -> Any:
        return GraphTarget(graph)

    constant: Any = EagerTensor
    result: Any = EagerTensor
    run = staticmethod(runner.run)

    def handle(self, dtype: DType, dims: Dims | None, name: str, value: EagerTensor) -> EagerTensor:
        handle = Handle(dtype, dims, name)
        handle.write(value._host())
        return EagerTensor(handle)

    argument = staticmethod(passed)

    def device_of(self, value: Value) -> str:
        return CPU0

    def copy_to(self, tensor: EagerTensor, device: str) -> EagerTensor:
        if device != "CPU:0":
            raise RuntimeError(f"{device} unknown device.")
        return EagerTensor(tensor._host(), tensor._dtype)
