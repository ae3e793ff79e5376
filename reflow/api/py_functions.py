"""`tf.py_function`, `tf.numpy_function`: Python code as an op. In a graph it is a host node that calls back into Python."""

from __future__ import annotations

import itertools

import numpy as np

from reflow.api.export import export
from reflow.core import dtypes, errors, nest
from reflow.core.context import state
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.tensor import EagerTensor
from reflow.eager.tape import GradientTape
from reflow.ops import registry
from reflow.ops import shape_rules as rules
from reflow.ops.convert import convert_to_tensor, to_array
from reflow.ops.door import dispatch
from reflow.ops.registry import NO_GRADIENT, op

_next = itertools.count().__next__
_functions: dict = {}  # token -> function; a graph holds its functions by its nodes' attributes


def _unknown_shapes(f):
    return [None] * len(f.attrs["Tout"])


def _call_eager(function, tensors, kinds):
    """Run a Python function on eager tensors; its results as tensors of the declared dtypes."""
    try:
        result = function(*tensors)
    except errors.OpError:
        raise
    except Exception as error:  # noqa: BLE001 - the user's exception, under TensorFlow's classes
        raise _as_op_error(error) from error
    flat = [] if result is None and not kinds else nest.flatten(result) if nest.is_nested(result) else [result]
    if len(flat) != len(kinds):
        raise errors.InvalidArgumentError(
            None, None, f"pyfunc returns {len(flat)} values, but expects to see {len(kinds)} values."
        )
    return [_typed(v, k) for v, k in zip(flat, kinds, strict=True)]


def _typed(value, dtype):
    tensor = convert_to_tensor(value, dtype_hint=dtype)
    if tensor._dtype is dtype:
        return tensor
    if isinstance(value, EagerTensor):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Attempted to return {tensor._dtype.name} from a function that was declared to return {dtype.name}.",
        )
    return dispatch(registry.get("Cast"), (tensor,), {"DstT": dtype})


def _as_op_error(error):
    kinds = {
        TypeError: errors.InvalidArgumentError,
        ValueError: errors.InvalidArgumentError,
        StopIteration: errors.OutOfRangeError,
        MemoryError: errors.ResourceExhaustedError,
        NotImplementedError: errors.UnimplementedError,
    }
    kind = next((k for e, k in kinds.items() if isinstance(error, e)), errors.UnknownError)
    return kind(None, None, f"{type(error).__name__}: {error}")


def _py_grad(attrs, inputs, outputs, cotangents, wanted):
    """Run the function again under a tape, as an op of its own."""
    function, n = attrs["token"], len(inputs)

    def gradient(*args):
        xs, cts = list(args[:n]), list(args[n:])
        with GradientTape() as tape:
            tape.watch([x for x in xs if x._dtype.kind in "fc"])
            ys = _call_eager(function, xs, attrs["Tout"])
        chosen = [x for x, w in zip(xs, wanted, strict=True) if w]
        grads = tape.gradient(ys, chosen, output_gradients=cts)
        return [
            convert_to_tensor(np.zeros(x.shape, x._dtype.np_dtype)) if g is None else convert_to_tensor(g)
            for x, g in zip(chosen, grads, strict=True)
        ]

    cts = [
        dispatch(registry.get("ZerosLike"), (o,), {}) if c is None else c
        for o, c in zip(outputs, cotangents, strict=True)
    ]
    kinds = [x._dtype for x, w in zip(inputs, wanted, strict=True) if w]
    flat = iter(
        dispatch(registry.get("EagerPyFunc"), [*inputs, *cts], {"token": gradient, "Tout": kinds, "is_async": False})
    )
    return [next(flat) if w else None for w in wanted]


@op("EagerPyFunc", shape=_unknown_shapes, grad_tensors=_py_grad, host=True)
def eager_py_func(_, input, token, Tout, is_async=False):  # noqa: N803 - TensorFlow's attribute
    tensors = [EagerTensor(v) for v in input]
    return [t._host() for t in _call_eager(token, tensors, Tout)]


def _numpy_call(input, token, kinds):
    arguments = [
        v[()] if isinstance(v, np.ndarray) and v.ndim == 0 and v.dtype == object else np.array(v) for v in input
    ]
    try:
        result = token(*arguments)
    except errors.OpError:
        raise
    except Exception as error:  # noqa: BLE001
        raise _as_op_error(error) from error
    flat = [] if result is None and not kinds else list(result) if isinstance(result, (list, tuple)) else [result]
    if len(flat) != len(kinds):
        raise errors.InvalidArgumentError(
            None, None, f"pyfunc returns {len(flat)} values, but expects to see {len(kinds)} values."
        )
    out = []
    for i, (value, kind) in enumerate(zip(flat, kinds, strict=True)):
        array = to_array(value) if not isinstance(value, (int, float)) else np.asarray(value)
        if isinstance(value, (int, float, bool, list, tuple)):
            array = to_array(value, kind) if kind.kind != "s" else array
        if array.dtype != kind.np_dtype:
            raise errors.InvalidArgumentError(
                None, None, f"{i}-th value returned by pyfunc is {array.dtype.name}, but expects {kind.name}"
            )
        out.append(array)
    return out


@op("PyFunc", shape=_unknown_shapes, grad=NO_GRADIENT, host=True)
def py_func(_, input, token, Tout):  # noqa: N803
    return _numpy_call(input, token, Tout)


@op("PyFuncStateless", shape=_unknown_shapes, grad=NO_GRADIENT, host=True)
def py_func_stateless(_, input, token, Tout):  # noqa: N803
    return _numpy_call(input, token, Tout)


def _declared(Tout):  # noqa: N803
    """The declared outputs: their structure, dtypes and static shapes."""
    single = not nest.is_nested(Tout)
    flat = [Tout] if single else nest.flatten(Tout)
    specs = [t if isinstance(t, TypeSpec) else TensorSpec(None, t) for t in flat]
    return single, [s.dtype for s in specs], [s.shape for s in specs]


def _dispatch(op_name, func, inp, Tout, extra):  # noqa: N803
    single, kinds, shapes = _declared(Tout)
    inputs = [convert_to_tensor(x) for x in nest.flatten(inp)]
    outs = dispatch(
        registry.get(op_name), inputs, {"token": func, "Tin": [t._dtype for t in inputs], "Tout": kinds, **extra}
    )
    if state.graph is not None:
        for t, s in zip(outs, shapes, strict=True):
            t.set_shape(s)
    if single:
        return outs[0] if outs else None
    return nest.pack_sequence_as(Tout, outs)


@export("py_function")
def py_function(func=None, inp=None, Tout=None, name=None):  # noqa: N803
    """Call a Python function on eager tensors, also from inside a graph; differentiable.

    >>> import reflow as tf
    >>> py_function(lambda x: x * 2, [tf.constant(3)], tf.int32).numpy().item()
    6
    """
    return _dispatch("EagerPyFunc", func, inp, [] if Tout is None else Tout, {"is_async": False})


@export("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):  # noqa: N803
    """Call a Python function on NumPy arrays, also from inside a graph; not differentiable.

    >>> import numpy as np, reflow as tf
    >>> numpy_function(np.sinh, [tf.constant(0.0)], tf.float32).numpy().item()
    0.0
    """
    return _dispatch("PyFunc" if stateful else "PyFuncStateless", func, inp, Tout, {})


_ = (_next, _functions, rules, dtypes)
