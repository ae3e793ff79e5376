"""Eager execution when there is a choice of devices: place the op, run it there, say so if asked.

An op goes where the variable is that it works on, else where the `tf.device` scope says, else to the first GPU; an op that a GPU
cannot run goes to the host, unless soft placement is off. Inputs follow it silently. On the host (also on its further logical
CPUs) NumPy computes; on an accelerator see `accelerator.py`. None of this is installed while the host is all there is.
"""

from __future__ import annotations

import functools
import sys

from reflow.core import dtypes, errors, tensor
from reflow.core.context import state
from reflow.core.resources import Handle
from reflow.core.tensor import EagerTensor, HostObject
from reflow.devices import placement as devices
from reflow.devices.settings import settings
from reflow.eager import variables
from reflow.eager.execute import check_dtypes, execute, name_error, record, run_kernel, translate
from reflow.ops import convert
from reflow.ops import dispatch as door
from reflow.ops.kernels.control import vjp


@functools.cache  # an import statement takes a microsecond, each time
def accelerator():
    """The module that runs ops on accelerators; it needs JAX, so it is loaded when there is one."""
    from reflow.eager import accelerator as module

    return module


def execute_placed(op, inputs, attrs):
    """Run `op` on eager tensors where it belongs; returns a tensor, or a list if the op has several outputs."""
    for t in inputs:
        t._value  # noqa: B018 - a symbolic tensor complains here, in its own words
    try:
        place = place_of(op, inputs)
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
    except (ValueError, IndexError, TypeError, MemoryError) as error:
        raise translate(op, inputs, attrs, error) from error
    except errors.OpError as error:
        name_error(op, error)
        raise
    results = [labelled(EagerTensor(v), place) for v in values]
    if state.tapes:
        record(op, inputs, tuple(results), attrs)
    return results[0] if op.single else results


def place_of(op, inputs):
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


def labelled(result, place):
    """A tensor that an op at `place` made."""
    if place is not devices.places().host:
        result._device = place.name
        if type(result._value) is Handle:
            result._value.place = place
    return result


def _spelled(op, attrs) -> str:
    """An op's name in the log: a gradient is named after its op, as TensorFlow's are."""
    forward = vjp.differentiated(op, attrs)
    return op.name if forward is None else forward.name + "Grad"


def _mind_policy(op, inputs, place):
    """Complain about inputs on another device, as `tf.config.experimental.set_device_policy` says."""
    if op.identity:
        return
    for i, t in enumerate(inputs):
        if t._dtype is dtypes.resource or t.device == place.name:
            continue
        if settings.device_policy == "silent_for_int32" and t._dtype is dtypes.int32:
            continue
        where = f"input #{i} was expected to be on {place.name} but is actually on {t.device} (operation running on {place.name})"
        if settings.device_policy == "warn":
            print(
                f"before computing {op.name} {where}. This triggers a copy which can be a performance bottleneck.",
                file=sys.stderr,
            )
            continue
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Tensors on conflicting devices: cannot compute {op.name} as {where} Tensors can be copied explicitly using: `with "
            "tf.device(device_name): x = tf.identity(x)` or transparently copied by using "
            "tf.config.experimental.set_device_policy('silent'). Copying tensors between devices may slow down your model",
        )


# --- what comes into being without an op ----------------------------------------------------------------------------


def new_constant(array, dtype=None) -> EagerTensor:
    """The tensor of a constant: on the host, or where a scope says."""
    result = EagerTensor(array, dtype)
    place = devices.place_of_scope() if state.device else devices.places().host
    if place.device is not None and result._dtype.kind in "soq":
        place = devices.places().host
    devices.log("_EagerConst", place)
    if place.device is not None and result._dtype is not dtypes.int32:
        result._value = accelerator().put(array, place.device)
    return labelled(result, place)


def new_handle(dtype, dims, name: str, value) -> EagerTensor:
    """The resource tensor of a new variable. GPUs hold no integers of 32 bits, in TensorFlow's terms: those are sizes and
    counters."""
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
    return labelled(EagerTensor(handle), place)


def new_output(value, dtype=None) -> EagerTensor:
    """A tensor that a function returned: where its memory is, under the name that the scope gives that device."""
    result = EagerTensor(value, dtype)
    if state.device and not isinstance(value, HostObject):
        place = devices.place_of_scope()
        if devices.place_of_value(value) == devices.CPU0 if place.device is None else value.device is place.device:
            return labelled(result, place)
    return result


def copy_to(source, name: str) -> EagerTensor:
    """`tensor.cpu()` and `tensor.gpu(i)`."""
    place = devices.places().all.get("/device:" + name)
    if place is None:
        raise RuntimeError(f"{name} unknown device.")
    if place.device is None:
        return labelled(EagerTensor(source._host(), source._dtype), place)
    return labelled(EagerTensor(accelerator().value_at(source, place), source._dtype), place)


_PLAIN = convert.new_constant, variables.new_handle, tensor.place_of_value, tensor.copy_to


def _switch(placing: bool):
    """Put the placed versions where the plain ones are, or take them away again."""
    door.install(eager=execute_placed if placing else execute)
    vjp.on_host = variables.on_host = not placing
    convert.new_constant, variables.new_handle, tensor.place_of_value, tensor.copy_to = (
        (new_constant, new_handle, devices.place_of_value, copy_to) if placing else _PLAIN
    )


devices.SWITCHES.append(_switch)
