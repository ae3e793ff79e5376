"""Ops on an accelerator: an eager op is a JAX program, cached by its record, its attributes and its static operands.

Values there are `jax.Array`s. As in TensorFlow, some values stay on the host: shapes, static operands, and integers
that are still in host memory (TensorFlow also keeps `int32` there, so sizes and indices cost no copies). A program is
traced from the same kernel as everything else. If a kernel turns out to need NumPy, the host runs it and the results
are copied over. Variable ops are programs that take and return the buffers.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, SingleDeviceSharding

from reflow.core import dtypes, errors
from reflow.core.resources import Handle, commit_lock
from reflow.core.tensor import HostObject, ndarray
from reflow.devices.settings import settings
from reflow.eager.execute import run_checks, run_kernel
from reflow.ops.kernels.array.slicing import masks_of, strided_slice
from reflow.ops.kernels.control.state import assign_variable, read_variable
from reflow.ops.registry import NeedsValue, extend
from reflow.ops.slice_spec import plan_of
from reflow.ops.xp import host as host_xp
from reflow.ops.xp import xla as xla_xp
from reflow.ops.xp.xla.base import wide_types

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.tensor import EagerTensor
    from reflow.core.types import Attrs, Dims, Value
    from reflow.devices.placement import Place
    from reflow.ops.record import Op

MAX_KEPT = 4096  # programs, and tiny constants
MAX_STATIC = 1024  # elements of the static operands of one call: beyond that, the host runs the op
TINY = 32  # bytes: constants up to this size are cached on the device by value
SMALL = 64  # elements: smaller tensors are always copied to the host for checks

#: dtypes of results that stay in host memory if the inputs were there
_HOST_RESULTS = (np.dtype(np.int32), np.dtype(np.bool_))


def supports(op: Op, inputs: Sequence[Any]) -> bool:
    """Whether an op can run on an accelerator: it has an XLA form, and no input is a string, an object or quantized."""
    return not op.host and all(t._dtype.kind not in "soq" for t in inputs)


def run(op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place) -> list:
    """The output values of an op at a place with a device."""
    if op.identity:
        return [value_at(t, place) for t in inputs]
    if any([t._dtype.kind == "o" for t in inputs]):
        return _run_on_variables(op, inputs, attrs, place)
    if op.from_shapes:
        return _listed(op, op.call(host_xp, [t._value for t in inputs], attrs))
    if _stays_on_host(op, inputs, attrs):
        return _run_on_host(op, inputs, attrs, place)
    if op.checks:
        run_checks(op, [_to_look_at(t) for t in inputs], attrs)
    if op.accelerated is not None:
        found = op.accelerated(op, inputs, attrs, place)
        if found is not None:
            return found
    return _run_program(op, inputs, attrs, place)


# --- values ---------------------------------------------------------------------------------------------------------


def put(value: Value, device: Any) -> Any:
    """A copy of a value in a device's memory."""
    with wide_types():
        return jax.device_put(value, device)


def value_at(tensor: EagerTensor, place: Place) -> Any:
    """A tensor's value in a place's memory."""
    if place.device is None or _in_host_memory(tensor):
        return tensor._host()
    value = tensor._value
    if type(value) is not ndarray and lies_at(value, place.device):
        return value
    return _mirror(tensor, place.device)


def lies_at(value: Any, device: Any) -> bool:
    """Whether a JAX array is on a device.

    If `device` is a sharding (the place is a mesh): on the devices of that mesh.
    """
    if isinstance(device, NamedSharding):
        return bool(value.sharding.device_set == device.device_set)
    return value.device is device


def _in_host_memory(tensor: EagerTensor) -> bool:
    """Whether a tensor is one of those that GPU ops leave on the host."""
    return tensor._dtype.kind in "soq" or (tensor._dtype is dtypes.int32 and type(tensor._value) is ndarray)


def _mirror(tensor: EagerTensor, device: Any) -> Any:
    """A tensor's value on another device, cached with the tensor."""
    kept = tensor.__dict__.get("_mirror")
    if kept is None or kept[0] is not device:
        kept = tensor.__dict__["_mirror"] = (device, put(tensor._value, device))
    return kept[1]


def argument(tensor: EagerTensor, device: Any) -> Any:
    """A tensor's value as a program argument.

    A host array is passed as it is the first time (the program transfers it) and mirrored when it is used again.
    """
    value = tensor._value
    if type(value) is ndarray:
        if value.nbytes <= TINY:
            return _tiny(value, device)
        if not tensor._passed:
            tensor._passed = True
            return value
        return _mirror(tensor, device)
    return value if lies_at(value, device) else _mirror(tensor, device)


_lock = threading.Lock()
_constants: dict = {}  # (dtype, shape, bytes, device) -> array there


def _tiny(value: Value, device: Any) -> Any:
    """A tiny constant on a device. The same ones recur (`x * 0.1`, `x[3]`), and a copy takes as long as an op."""
    key = (value.dtype, value.shape, value.tobytes(), device)
    found = _constants.get(key)
    if found is None:
        found = put(value, device)
        _keep(_constants, key, found)
    return found


def _keep(table: dict, key: Any, value: Value) -> None:
    """Add to a bounded cache, evicting the oldest entry."""
    with _lock:
        table[key] = value
        if len(table) > MAX_KEPT:
            del table[next(iter(table))]


def _to_look_at(tensor: EagerTensor) -> Any:
    """A value for a record's checks, which read integers: large floats stay on the device unless a check reads them."""
    value = tensor._value
    return tensor._host() if tensor._dtype.kind in "iub" or value.size <= SMALL else value


def _listed(op: Op, out: Any) -> list:
    return [out] if op.single else list(out)


# --- on the host ----------------------------------------------------------------------------------------------------


def _stays_on_host(op: Op, inputs: Sequence[Any], attrs: Attrs) -> bool:
    """Whether an op belongs on the host.

    That is a stateful random op, or one whose inputs are only integers in host memory and static operands; its floats
    are copied to the device afterwards.
    """
    if not op.static and inputs and inputs[0]._dtype is not dtypes.int32 and not op.hidden_counter:
        return False
    if op.hidden_counter:
        return True
    static = op.static_places(attrs, len(inputs)) if op.static else ()
    others = [t for i, t in enumerate(inputs) if i not in static]
    return all([type(t._value) is ndarray and (t._dtype is dtypes.int32 or op.made_on_host) for t in others])


def _run_on_host(op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place) -> list:
    """Run the host kernel; results other than small integers move to the place."""
    out = _listed(op, run_kernel(op, [t._host() for t in inputs], attrs))
    return [_delivered(v, place) for v in out]


def _delivered(value: Value, place: Place) -> Any:
    if isinstance(value, HostObject) or value.dtype in _HOST_RESULTS or value.dtype == object:
        return value
    return put(value, place.device)


# --- programs -------------------------------------------------------------------------------------------------------


#: errors of a running program, as opposed to those of a kernel being traced
_FAILED = (errors.ResourceExhaustedError, errors.InternalError, errors.UnknownError, jax.errors.JaxRuntimeError)


class Program:
    """A jitted op. `on_host`: tracing failed, but the host could run it."""

    __slots__ = ("call", "traced", "on_host")

    def __init__(self) -> None:
        self.call: Any = None  # the result of `_jit`
        self.traced = self.on_host = False


_programs: dict = {}
_wants_integers: set = set()  # calls whose kernel needs the values of small integers besides its static operands


def _program(key: Any, make: Callable[[Program], Callable]) -> Program:
    found = _programs.get(key)
    if found is None:
        found = Program()
        found.call = make(found)
        _keep(_programs, key, found)
    return found


def _jit(function: Callable, device: Any) -> Callable:
    """JAX's program on one device: arguments that are elsewhere are moved there.

    On a mesh, the arguments and XLA decide.
    """
    if isinstance(device, NamedSharding):
        return jax.jit(function)
    there = SingleDeviceSharding(device)
    return jax.jit(function, in_shardings=there, out_shardings=there)


def frozen(value: Value) -> Any:
    """An attribute in hashable form, for a key."""
    if isinstance(value, dict):
        return tuple([(k, frozen(v)) for k, v in value.items()])
    if isinstance(value, (list, tuple)):
        return tuple([frozen(v) for v in value])
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return value


def _static_positions(op: Op, attrs: Attrs, inputs: Sequence[Any], all_integers: bool) -> Any:
    """The inputs that must be values: those of the record, and all small integers if a kernel asked for one."""
    if not op.static and not all_integers:
        return ()
    found = set(op.static_places(attrs, len(inputs)))
    if all_integers:
        found |= {i for i, t in enumerate(inputs) if t._dtype.kind in "iub" and t._value.size <= SMALL}
    return sorted(found)


def _run_program(op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place) -> list:
    bound = op.bind(attrs)
    kind = (op, len(inputs), frozen(bound), settings.tensor_float_32)
    while True:
        statics = {i: inputs[i]._host() for i in _static_positions(op, attrs, inputs, kind in _wants_integers)}
        if sum(v.size for v in statics.values()) > MAX_STATIC:
            return _run_on_host(op, inputs, attrs, place)
        key = (kind, place.device, tuple([(i, frozen(v)) for i, v in statics.items()]))
        make = functools.partial(_jit_kernel, op, attrs, statics, len(inputs), place)
        program = _program(key, make)
        if program.on_host:
            return _run_on_host(op, inputs, attrs, place)
        arrays = [argument(t, place.device) for i, t in enumerate(inputs) if i not in statics]
        try:
            return call(program.call, *arrays)
        except NeedsValue:
            _programs.pop(key, None)
            if kind in _wants_integers:
                return _run_on_host(op, inputs, attrs, place)
            _wants_integers.add(kind)
        except _FAILED:
            raise
        except Exception:  # a kernel may fail under tracing in any way
            out = _run_on_host(op, inputs, attrs, place)  # raises TensorFlow's message if the inputs are at fault
            program.on_host = not program.traced
            return out


def _jit_kernel(op: Op, attrs: Attrs, statics: dict[int, Any], count: int, place: Place, program: Program) -> Callable:
    return _jit(_traced(program, op, attrs, statics, count), place.device)


def _traced(program: Program, op: Op, attrs: Attrs, statics: dict[int, Any], count: int) -> Callable:
    """The function that JAX traces: the kernel, with its static operands as values."""

    def function(*arrays: Any) -> Any:
        rest = iter(arrays)
        values = [statics[i] if i in statics else next(rest) for i in range(count)]
        out = _listed(op, op.call(xla_xp, values, attrs))
        program.traced = True
        return out

    function.__name__ = op.name.replace(">", "_")
    return function


def call(program: Callable, *args: Any) -> Any:
    """Call a program and convert its failures to TensorFlow's errors: ResourceExhaustedError for an allocation."""
    try:
        with wide_types():
            if settings.tensor_float_32:
                return program(*args)
            with jax.default_matmul_precision("highest"):
                return program(*args)
    except jax.errors.JaxRuntimeError as error:
        errors.raise_of_program(error)
        raise


def _run_slice(op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place) -> list[Any] | None:
    """A StridedSlice with strides of 1, or None for other strides.

    The start is an operand, so `x[i]` in a loop is one program.
    """
    x, *bounds = inputs
    begin, end, strides = [t._host() for t in bounds]
    plan = plan_of(tuple(x._value.shape), begin, end, strides, masks_of(attrs))
    if any(s != 1 for s in plan.strides):
        return None

    def make(program: Program) -> Callable:
        def strided_slice(value: Value, starts: Any) -> Any:
            return [lax.reshape(lax.dynamic_slice(value, list(starts), plan.sliced), plan.final)]

        return _jit(strided_slice, place.device)

    program = _program(("slice", plan.sliced, plan.final, place.device), make)
    starts = _tiny(np.array(plan.begin, np.int32), place.device)
    return call(program.call, argument(x, place.device), starts)


extend(strided_slice, accelerated=_run_slice)


# --- variables ------------------------------------------------------------------------------------------------------


class View:
    """A variable during one kernel run: reads and writes act on a value, here or in a trace."""

    __slots__ = ("value", "dims", "name", "dtype")

    remote = False

    def __init__(self, handle: Handle | View, value: Value) -> None:
        self.value = value
        self.dims: Dims | None = handle.dims
        self.name: str = handle.name
        self.dtype: DType = handle.dtype

    def read(self) -> Any:
        return self.value

    def write(self, value: Value) -> None:
        self.value = value


def buffer_of(handle: Handle) -> Any:
    """A variable's buffer in the memory of its place.

    Call it under the lock: a program may be about to donate the buffer.
    """
    buffer = handle.cell.buf
    if buffer is None:
        handle.read()  # complains
    device = handle.place.device
    if type(buffer) is ndarray or not lies_at(buffer, device):
        # a copy: NumPy's memory belongs to a tensor, and a program may take ownership of this buffer
        buffer = handle.cell.buf = put(np.array(buffer) if type(buffer) is ndarray else buffer, device)
    return buffer


def _run_on_variables(op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place) -> list:
    """An op on variables: its kernel as a program from buffers and arguments to buffers and results."""
    handles = {i: t._value for i, t in enumerate(inputs) if isinstance(t._value, Handle)}
    if len(handles) < sum(isinstance(t._value, HostObject) for t in inputs) or op.handle_only:
        return _listed(op, run_kernel(op, [t._host() for t in inputs], attrs))
    with commit_lock:
        if op.accelerated is not None:
            return op.accelerated(op, inputs, attrs, place)
        buffers = {i: buffer_of(h) for i, h in handles.items()}
        views = {i: View(h, buffers[i]) for i, h in handles.items()}
        if op.checks:
            run_checks(op, [views.get(i) or _to_look_at(t) for i, t in enumerate(inputs)], attrs)
        if op.from_shapes:
            return _listed(op, op.call(host_xp, list(views.values()), attrs))
        return _update(op, inputs, attrs, place, handles, buffers)


def _read(op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place) -> list:
    return [buffer_of(inputs[0]._value)]


def _assign(op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place) -> list:
    """A write: the value moves to the variable's device."""
    handle = inputs[0]._value
    view = View(handle, None)
    op.call(host_xp, [view, inputs[1]._value], attrs)  # raises if the shape is wrong
    value = value_at(inputs[1], place)
    handle.write(put(np.array(value), place.device) if type(value) is ndarray else value)
    return []


extend(read_variable, accelerated=_read)
extend(assign_variable, accelerated=_assign)


def _update(
    op: Op, inputs: Sequence[Any], attrs: Attrs, place: Place, handles: dict[int, Handle], buffers: dict[int, Any]
) -> list:
    kind = (op, frozen(op.bind(attrs)), tuple([(h.dims, h.dtype) for h in handles.values()]))
    others = [i for i in range(len(inputs)) if i not in handles]
    statics = {i: inputs[i]._host() for i in op.static_places(attrs, len(inputs))}
    key = (kind, place.device, tuple([(i, frozen(v)) for i, v in statics.items()]))

    def make(program: Program) -> Callable:
        def function(held: Any, arrays: Any) -> Any:
            views = {i: View(handles_of[i], b) for i, b in zip(handles_of, held, strict=True)}
            rest = iter(arrays)
            values = [
                views[i] if i in views else statics[i] if i in statics else next(rest) for i in range(len(inputs))
            ]
            out = op.call(xla_xp, values, attrs)
            program.traced = True
            return [v.read() for v in views.values()], _listed(op, out)

        handles_of = {i: View(h, None) for i, h in handles.items()}  # not the handles: a program outlives variables
        return _jit(function, place.device)

    program = _program(key, make)
    if not program.on_host:
        arrays = [argument(inputs[i], place.device) for i in others if i not in statics]
        try:
            new, out = call(program.call, list(buffers.values()), arrays)
        except _FAILED:
            raise
        except Exception:  # as above
            program.on_host = not program.traced
        else:
            for handle, value in zip(handles.values(), new, strict=True):
                handle.write(value)
            return out
    return _listed(op, op.call(host_xp, [t._host() for t in inputs], attrs))
