"""The backend for a choice of devices: place an op, run it there, and log it if asked.

An op runs on the device of the variable that it uses, otherwise where the `tf.device` scope says, otherwise on the
first GPU. An op that a GPU cannot run goes to the host, unless soft placement is off. Inputs are copied silently. On
the host (and on its additional logical CPUs) NumPy computes; for accelerators see `reflow/eager/accelerator.py`. A
function runs where it is called: where the scope says, otherwise on the first GPU (`reflow/compile/placed_region.py`).
The process has this backend while there is a GPU, while several logical CPUs are in use, or while placements are
logged. A thread has it while a scope names a device that does not exist and may not be replaced.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.backends.host import passed
from reflow.compile import runner
from reflow.core import dtypes, errors
from reflow.core.backend import Backend
from reflow.core.context import state, swapped
from reflow.core.failures import FAILURES
from reflow.core.resources import Handle
from reflow.core.tensor import EagerTensor, HostObject, ndarray
from reflow.devices import placement as devices
from reflow.devices.settings import settings
from reflow.eager.execute import check_dtypes, makes_quantized, name_error, record, result_types, run_kernel, translate
from reflow.eager.tracebacks import cause
from reflow.graph.target import GraphTarget
from reflow.ops.kernels.control.vjp import differentiated

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.tensor import Tensor
    from reflow.core.types import Attrs, Dims, Value
    from reflow.devices.placement import Place
    from reflow.ops.record import Op


@functools.cache  # an import statement takes a microsecond each time
def accelerator() -> Any:
    """The module that runs ops on accelerators. It needs JAX, so it is loaded only if there is one."""
    from reflow.eager import accelerator as module

    return module


class PlacedBackend(Backend):
    """Values are in the memory of their place: host arrays, and `jax.Array`s on accelerators."""

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        for t in inputs:
            t._value  # noqa: B018 - a symbolic tensor complains here, in its own words
        try:
            place = self.place_of(op, inputs)
            if settings.log_placement:
                devices.log(_spelled(op, attrs), place)
            check_dtypes(op, inputs)
            if settings.device_policy != "silent":
                _mind_policy(op, inputs, place)
            if place.device is None:
                out = run_kernel(op, [t._host() for t in inputs], attrs)
                values = [out] if op.single else out
            else:
                values = accelerator().run(op, inputs, attrs, place)
        except FAILURES as error:
            raise translate(op, inputs, attrs, error) from cause(error)
        except errors.OpError as error:
            name_error(op, error)
            raise
        if makes_quantized(op, inputs, attrs):
            results = [
                self.made(v, place, dtype) for v, dtype in zip(values, result_types(op, inputs, attrs), strict=True)
            ]
        else:
            results = [self.made(v, place) for v in values]
        if state.tapes:
            record(op, inputs, tuple(results), attrs)
        return results[0] if op.single else results

    def place_of(self, op: Op, inputs: Sequence[Any]) -> Place:
        """Where an op runs."""
        return _place_of(op, inputs)

    def made(self, value: Value, place: Place, dtype: DType | None = None) -> EagerTensor:
        """The tensor of a value produced by an op at `place`."""
        result: EagerTensor = _labelled(EagerTensor(value, dtype), place)
        return result

    def building(self, graph: Any) -> Any:
        return GraphTarget(graph)

    def constant(self, array: ndarray, dtype: DType | None = None) -> EagerTensor:
        """On the host, or where a scope says."""
        result = EagerTensor(array, dtype)
        place = devices.place_of_scope() if state.device else devices.places().host
        if place.device is not None and result._dtype.kind in "soq":
            place = devices.places().host
        devices.log("_EagerConst", place)
        if place.device is not None and result._dtype is not dtypes.int32:
            result._value = accelerator().put(array, place.device)
        return _labelled(result, place)

    def handle(self, dtype: DType, dims: Dims | None, name: str, value: EagerTensor) -> EagerTensor:
        """As in TensorFlow, GPUs hold no 32-bit integer variables: those are sizes and counters."""
        place = devices.place_of_scope()
        if place.device is not None and (dtype is dtypes.int32 or dtype.kind in "soq"):
            place = devices.places().host
        devices.log("VarHandleOp", place)
        devices.log("AssignVariableOp", place)
        handle = Handle(dtype, dims, name)
        handle.place = place
        if place.device is None:
            handle.write(value._host())
        else:
            handle.write(accelerator().put(value._value, place.device))
        return _labelled(EagerTensor(handle), place)

    def run(self, graph: Any, values: Sequence[Value]) -> list[Value]:
        if state.place is not None or state.interpreting:  # inside a function that is already placed
            return runner.run(graph, values)
        place = devices.place_of_scope()
        devices.log(f"__inference_{graph.name}", place)
        if devices.places().default.device is None:  # all devices are the host
            return runner.run(graph, values)
        import jax

        exact = contextlib.nullcontext() if settings.tensor_float_32 else jax.default_matmul_precision("highest")
        with exact, swapped(place=place):
            return runner.run(graph, values)

    def argument(self, tensor: Tensor) -> Value:
        """Mirrored on the device where functions run if the tensor is used again."""
        if devices.places().default.device is None:  # all devices are the host
            return passed(tensor)
        value = tensor._value
        place = devices.place_of_scope()
        if place.device is None or type(value) is not ndarray or value.dtype == object:
            return value
        return accelerator().argument(tensor, place.device)

    def result(self, value: Value, dtype: DType | None = None) -> EagerTensor:
        """The tensor stays where its memory is, under the name that the scope gives that device."""
        result = EagerTensor(value, dtype)
        if state.device and not isinstance(value, HostObject):
            place = devices.place_of_scope()
            if self.device_of(value) == devices.CPU0 if place.device is None else value.device is place.device:
                return _labelled(result, place)
        return result

    def device_of(self, value: Value) -> str:
        if type(value) is ndarray or isinstance(value, HostObject):
            return devices.CPU0
        return devices.places().names.get(value.device, devices.CPU0)

    def copy_to(self, tensor: EagerTensor, device: str) -> EagerTensor:
        place = devices.places().all.get("/device:" + device)
        if place is None:
            raise RuntimeError(f"{device} unknown device.")
        if place.device is None:
            return _labelled(EagerTensor(tensor._host(), tensor._dtype), place)
        return _labelled(EagerTensor(accelerator().value_at(tensor, place), tensor._dtype), place)


def _place_of(op: Op, inputs: Sequence[Any]) -> Place:
    """Where an op runs."""
    for t in inputs:
        if t._dtype is dtypes.resource:
            return getattr(t._value, "place", None) or devices.places().host
    place = devices.place_of_scope()
    if place.device is not None and not accelerator().supports(op, inputs):
        host = devices.places().host
        if state.device and not settings.soft_placement:
            raise devices.unsatisfied(place.name, [host])
        return host
    return place


def _labelled(result: Any, place: Place) -> Any:
    """A tensor produced by an op at `place`."""
    if place is not devices.places().host:
        result._device = place.name
        if type(result._value) is Handle:
            result._value.place = place
    return result


def _spelled(op: Op, attrs: Attrs) -> str:
    """An op's name in the log: a gradient is named after its op, as in TensorFlow."""
    forward = differentiated(op, attrs)
    return op.name if forward is None else forward.name + "Grad"


def _mind_policy(op: Op, inputs: Sequence[Any], place: Place) -> None:
    """Report inputs on another device, as set by `tf.config.experimental.set_device_policy`."""
    if op.identity:
        return
    for i, t in enumerate(inputs):
        if t._dtype is dtypes.resource or t.device == place.name:
            continue
        if settings.device_policy == "silent_for_int32" and t._dtype is dtypes.int32:
            continue
        where = (
            f"input #{i} was expected to be on {place.name} but is actually on {t.device} "
            f"(operation running on {place.name})"
        )
        if settings.device_policy == "warn":
            print(
                f"before computing {op.name} {where}. This triggers a copy which can be a performance bottleneck.",
                file=sys.stderr,
            )
            continue
        raise errors.InvalidArgumentError(
            None, None,
            f"Tensors on conflicting devices: cannot compute {op.name} as {where} Tensors can be copied explicitly "
            "using: `with tf.device(device_name): x = tf.identity(x)` or transparently copied by using "
            "tf.config.experimental.set_device_policy('silent'). Copying tensors between "
            "devices may slow down your model",
        )
