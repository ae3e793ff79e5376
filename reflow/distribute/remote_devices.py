"""Devices of other processes: in the scope of such a device, ops and functions run there, and variables live there.

`tf.config.experimental_connect_to_cluster` registers the device names. In the scope of one, the thread has a
`RemoteBackend`: it sends an op (as a function of one node) or a function to the server (`remote.py`). Arguments are
sent with each request, and results are sent back: a tensor created there reports the remote device, but its data is
local. Ops on a variable or an object of this process run here, and so does anything that cannot be serialized.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.core import dtypes, errors
from reflow.core.backend import Backend
from reflow.core.context import State, new_id, state
from reflow.core.specs import TensorSpec
from reflow.core.tensor import EagerTensor, HostObject
from reflow.devices import placement
from reflow.devices.names import DeviceSpec
from reflow.distribute.remote import RemoteHandle, Shipped, call, reach, shipped
from reflow.eager.execute import record
from reflow.function.function import Function, Options
from reflow.graph.derived import derived
from reflow.graph.func_graph import FuncGraph
from reflow.graph.target import GraphTarget
from reflow.ops.convert import constant
from reflow.ops.dispatch import dispatch

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.types import Attrs, Dims, Value
    from reflow.ops.record import Op

#: types of attributes by which the function of an op is remembered
_PLAIN = (str, bytes, bool, int, float, type(None))


def _is_here(value: Any) -> bool:
    """Whether a value is an object of this process, such as a variable, which cannot travel."""
    return isinstance(value, HostObject) and not value.remote


@derived
def _shipped(graph: FuncGraph) -> Shipped | None:
    """A function as servers get it; None if it cannot be written, or returns objects."""
    if any(t.dtype in (dtypes.resource, dtypes.variant) for t in graph.outputs):
        return None
    try:
        return shipped(graph)
    except errors.UnimplementedError:
        return None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


@functools.lru_cache(1024)
def _known_op(op: Op, specs: tuple[TensorSpec, ...], attrs: tuple[tuple[str, Any], ...]) -> FuncGraph:
    return _graph_of(op, specs, dict(attrs))


def _graph_of(op: Op, specs: Sequence[TensorSpec], attrs: Attrs) -> FuncGraph:
    """A function of one op. It returns True if the op returns nothing, so that the caller knows that it has run."""

    def body(*inputs: Any) -> Any:
        results = dispatch(op, inputs, attrs)
        return results if op.definition.outputs else constant(True)

    function = Function(body, op.name, options=Options(autograph=False))
    with placement.DeviceScope(None):
        return function.get_concrete_function(*specs).graph


def function_of(op: Op, inputs: Sequence[Any], attrs: Attrs) -> FuncGraph:
    """A function of one op, for tensors of any shape: the server rejects those that do not fit, as for any op."""
    specs = tuple(TensorSpec(None, t.dtype) for t in inputs)
    frozen = tuple((name, _frozen(value)) for name, value in attrs.items())
    plain = all(isinstance(v, _PLAIN) for _, value in frozen for v in (value if isinstance(value, tuple) else (value,)))
    return _known_op(op, specs, frozen) if plain else _graph_of(op, specs, attrs)


class RemoteBackend(Backend):
    """A device of another process, in whose scope a thread is."""

    scoped = True

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address = name, address

    here = property(lambda self: State.backend)

    def _made(self, result: EagerTensor) -> EagerTensor:
        result._device = self.name
        return result

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        values = [t._value for t in inputs]
        if op.handle_only or any(isinstance(v, HostObject) for v in values):
            return self.here.execute(op, inputs, attrs)
        shipped = _shipped(function_of(op, inputs, attrs))
        if shipped is None:
            return self.here.execute(op, inputs, attrs)
        results = [self._made(EagerTensor(v)) for v in shipped.run(self.address, [t._host() for t in inputs])]
        if not op.definition.outputs:
            return []
        if state.tapes:
            record(op, inputs, tuple(results), attrs)
        return results[0] if op.single else results

    def building(self, graph: Any) -> Any:
        return GraphTarget(graph)

    def constant(self, array: Any, dtype: DType | None = None) -> EagerTensor:
        return self._made(EagerTensor(array, dtype))

    def handle(self, dtype: DType, dims: Dims | None, name: str, value: EagerTensor) -> EagerTensor:
        key = f"{name}/{new_id()}"
        call(self.address, keep=key, arguments=[value._host()])
        return self._made(EagerTensor(RemoteHandle(dtype, dims, name, self.address, key)))

    def run(self, graph: Any, values: Sequence[Value]) -> list[Value]:
        shipped = None if any(map(_is_here, values)) else _shipped(graph)
        return self.here.run(graph, values) if shipped is None else shipped.run(self.address, values)

    def argument(self, tensor: Any) -> Value:
        value = tensor._value
        return value if isinstance(value, HostObject) else tensor._host()

    def result(self, value: Value, dtype: DType | None = None) -> EagerTensor:
        return self._made(EagerTensor(value, dtype))

    def device_of(self, value: Value) -> str:
        return self.here.device_of(value)

    def copy_to(self, tensor: EagerTensor, device: str) -> EagerTensor:
        return self.here.copy_to(tensor, device)


def connect(job: str, task: int, address: str) -> None:
    """Make the device of a server known. UnavailableError if the server does not answer in time."""
    reach(address)
    machine = f"/job:{job}/replica:0/task:{task}"
    placement.remotes[machine] = RemoteBackend(DeviceSpec.from_string(f"{machine}/device:CPU:0").to_string(), address)
