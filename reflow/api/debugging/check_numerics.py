"""`tf.debugging.enable_check_numerics`: every op that makes a NaN or an infinity fails, and is named.

While it is on, the door has a guard in front: eager results are looked at when they come out, and a graph under construction gets a
`CheckNumericsV2` behind each op with floating outputs. The fast paths, which do not pass the door, are off. When it is off, nothing of this
exists and nothing is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api import call
from reflow.api.export import export
from reflow.core.errors import InvalidArgumentError
from reflow.devices import placement as devices
from reflow.ops import dispatch as door
from reflow.ops import registry
from reflow.ops.kernels.control import vjp
from reflow.ops.kernels.control.printing import signed_bad_number

#: ops that only pass numbers on: the one that made a bad number has been named before
_PASS_ON = frozenset(
    [
        "CheckNumerics",
        "CheckNumericsV2",
        "Const",
        "Identity",
        "IdentityN",
        "ReadVariableOp",
        "ResourceGather",
        "Reshape",
        "Placeholder",
        "StopGradient",
        "Squeeze",
        "ExpandDims",
        "Pack",
        "Unpack",
        "Slice",
        "StridedSlice",
        "Transpose",
        "Fill",
        "Bitcast",
        "OnesLike",
        "ZerosLike",
    ]
)
_enabled = False


def _name_of(op, attrs) -> str:
    """The op's name; a gradient is named after its op."""
    return f"{attrs['forward'].name} (its gradient)" if op.name == "Reflow>VJP" else op.name


def _describe(tensor) -> str:
    counts: dict[str, Any] = {"-Inf": np.isneginf, "+Inf": np.isposinf, "+NaN": np.isnan}
    value = tensor._host().astype(np.float64) if tensor._dtype.kind == "f" else np.abs(tensor._host())
    lines = [f"  # of {name} elements: {int(test(value).sum())}" for name, test in counts.items() if test(value).any()]
    return "\n".join(lines)


def _checked_eager(inner):
    def execute(op, inputs, attrs):
        out = inner(op, inputs, attrs)
        if op.name not in _PASS_ON:
            outputs = out if isinstance(out, list) else [out]
            for i, tensor in enumerate(outputs):
                bad = signed_bad_number(tensor._host()) if tensor is not None and tensor._dtype.kind in "fc" else None
                if bad:
                    raise InvalidArgumentError(None, op, _eager_report(op, inputs, attrs, i, outputs, bad))
        return out

    execute.inner = inner
    return execute


def _eager_report(op, inputs, attrs, i, outputs, bad) -> str:
    shown = "".join(f"\n         {k}: {t!s}" for k, t in enumerate(inputs))
    given = f"  Input tensor: {inputs[0]!s}" if len(inputs) == 1 else f"  Input tensors ({len(inputs)}):{shown}"
    tensor = outputs[i]
    return (
        f'\n\n!!! Detected Infinity or NaN in output {i} of eagerly-executing op "{_name_of(op, attrs)}" '
        f"(# of outputs: {len(outputs)}) !!!\n  dtype: {tensor.dtype!s}\n  shape: {tensor.shape}\n{_describe(tensor)}\n\n"
        f"{given}\n\n : Tensor had {bad} values [Op:CheckNumericsV2] name: "
    )


def _checked_graph(inner):
    def add(op, inputs, attrs):
        out = inner(op, inputs, attrs)
        if op.name in _PASS_ON:
            return out
        outputs = out if isinstance(out, list) else [out]
        guarded = [
            _guard(inner, op, attrs, i, tensor, outputs)
            if getattr(tensor, "_dtype", None) and tensor._dtype.kind in "f"
            else tensor
            for i, tensor in enumerate(outputs)
        ]
        return guarded if isinstance(out, list) else guarded[0]

    add.inner = inner
    return add


def _guard(inner, op, attrs, i, tensor, outputs):
    message = (
        f'\n\n!!! Detected Infinity or NaN in output {i} of graph op "{_name_of(op, attrs)}" (# of outputs: {len(outputs)}) !!!\n'
        f"  dtype: {tensor.dtype!s}\n  shape: {tensor.shape}\n\n"
    )
    return inner(registry.get("CheckNumericsV2"), [tensor], {"message": message})


def _install(placing=None):
    """Put the guard in front of whatever stands behind the door now."""
    if _enabled:
        call._switch(True)
        vjp.on_host = False
        door.install(eager=_checked_eager(getattr(door._eager, "inner", door._eager)))
        door.install(graph=_checked_graph(getattr(door._graph, "inner", door._graph)))


devices.SWITCHES.append(_install)


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """From now on, an op whose result has a NaN or an infinity raises InvalidArgumentError, in eager code and in functions traced later.

    The limits are about the stack trace that TensorFlow puts into a graph's message; here the error's own traceback has it, so
    they only have to be positive.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    """
    global _enabled
    for name, limit in (("stack_height_limit", stack_height_limit), ("path_length_limit", path_length_limit)):
        if limit <= 0:
            raise ValueError(f"Argument `{name}` must be positive. Received: {limit}")
    _enabled = True
    _install()


@export("debugging.disable_check_numerics")
def disable_check_numerics():
    """Undo `enable_check_numerics`. Functions traced in between keep their checks.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    >>> (tf.constant(1.0) / 0.0).numpy().item()
    inf
    """
    global _enabled
    if _enabled:
        _enabled = False
        door.install(eager=door._eager.inner, graph=door._graph.inner)
        call._switch(devices.placing)
        vjp.on_host = not devices.placing
