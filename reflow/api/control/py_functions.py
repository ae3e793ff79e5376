"""`tf.py_function`, `tf.numpy_function`: Python code as an op. In a graph it is a host node that calls back into
Python.

The function of a `py_function` runs once, under its own tape, which the gradient uses later. When a gradient is built,
the node gets an extra output for the tape, `Kept`, so that loops keep one tape per iteration. For a second derivative
the function runs again, under two tapes.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import dtypes, errors, nest
from reflow.core.context import outside_all_scopes, state, swapped
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.tensor import EagerTensor, HostObject
from reflow.eager.tape import GradientTape
from reflow.function.gradients import extend_outputs
from reflow.graph import python_tokens
from reflow.graph.graph import SymbolicTensor
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run
from reflow.ops.kernels.control.lists import C_NAMES
from reflow.ops.registry import NO_GRADIENT, op


class Kept(HostObject):
    """The tape of one call of a Python function, with the tensors it ran on and those it returned."""

    __slots__ = ("tape", "inputs", "outputs")
    tensor_dtype = dtypes.variant

    def __init__(self, tape, inputs, outputs):
        self.tape, self.inputs, self.outputs = tape, inputs, outputs


def _unknown_shapes(f):
    return [() if d is dtypes.variant else None for d in f.attrs["Tout"]]


def _under_op_errors(function, arguments):
    """Call the user's function; what it raises comes under TensorFlow's classes."""
    kinds = {
        TypeError: errors.InvalidArgumentError,
        ValueError: errors.InvalidArgumentError,
        StopIteration: errors.OutOfRangeError,
        MemoryError: errors.ResourceExhaustedError,
        NotImplementedError: errors.UnimplementedError,
    }
    try:
        return function(*arguments)
    except errors.OpError:
        raise
    except Exception as error:  # whatever the user's code raises
        kind = next((k for e, k in kinds.items() if isinstance(error, e)), errors.UnknownError)
        raise kind(None, None, f"{type(error).__name__}: {error}") from error


def _values(result) -> list:
    return [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]


def _check_count(found: int, declared: int):
    if found != declared:
        raise errors.InvalidArgumentError(
            None, None, f"pyfunc returns {found} values, but expects to see {declared} values."
        )


def _call(function, tensors, kinds) -> list:
    """Run a Python function on eager tensors; its results as tensors of the declared dtypes. Like TensorFlow it lets a
    function return more than was declared."""
    function = _found(function)
    found = _under_op_errors(
        lambda *args: [convert_to_tensor(v, k) for v, k in zip(_values(function(*args)), kinds)], tensors
    )
    _check_count(len(found), len(kinds))
    return found


@op(
    "EagerPyFunc", shape=_unknown_shapes, grad_tensors=lambda *a: _gradient(*a), host=True, opaque=True, overlaps=True,
    touches=("python",),
)
def eager_py_func(_, input, token, Tout, _keeps=False, _eager=False, **attrs):
    """`_keeps`: the last of `Tout` is what the gradient needs (`_kept`). `_eager`: a plain call, under the caller's
    strategy; a node's function runs on another thread in TensorFlow."""
    tensors = [EagerTensor(v) for v in input]
    with swapped(graph=None, tapes=()) if _eager else outside_all_scopes():
        if not _keeps:
            return [_raw(t) for t in _call(token, tensors, Tout)]
        with GradientTape(persistent=True) as tape:
            tape.watch([x for x in tensors if x._dtype.kind in "fc"])
            results = _call(token, tensors, Tout[:-1])
        return [*map(_raw, results), Kept(tape, tensors, results)]


def _raw(tensor):
    """The value of a result: an array, or a host object such as a dataset."""
    return tensor._value if isinstance(tensor._value, HostObject) else tensor._host()


class _Derivative:
    """The cotangents of a call's inputs, as a Python function of what was kept, the inputs and the cotangents."""

    def __init__(self, function, kinds, wanted):
        self.function, self.kinds, self.wanted = function, kinds, wanted

    def __call__(self, kept, *args):
        return self._from(kept._value.tape, kept._value.inputs, kept._value.outputs, args[len(self.wanted) :])

    def again(self, *args):
        """The cotangents from a new call of the function, so that an outer tape sees how they depend on the inputs."""
        inputs, cotangents = list(args[: len(self.wanted)]), args[len(self.wanted) :]
        with GradientTape() as tape:
            tape.watch([x for x in inputs if x._dtype.kind in "fc"])
            outputs = _call(self.function, inputs, self.kinds)
        return self._from(tape, inputs, outputs, cotangents)

    def _from(self, tape, inputs, outputs, cotangents):
        chosen = [x for x, w in zip(inputs, self.wanted, strict=True) if w]
        differentiable = [(y, c) for y, c in zip(outputs, cotangents, strict=True) if y._dtype.kind in "fc"]
        grads = tape.gradient([y for y, _ in differentiable], chosen, [c for _, c in differentiable], "zero")
        return [convert_to_tensor(g) for g in grads]


def _gradient(attrs, inputs, outputs, cotangents, wanted):
    function, kinds = attrs["token"], attrs["Tout"][:-1] if attrs.get("_keeps") else attrs["Tout"]
    wanted = [w and x._dtype.kind in "fc" for w, x in zip(wanted, inputs, strict=True)]  # not a Kept
    if isinstance(function, _Derivative):  # second order: `inputs` are those of a derivative, what was kept first
        derivative, kept = _Derivative(lambda _, *args: function.again(*args), kinds, wanted).again, []
    else:
        derivative = _Derivative(function, kinds, wanted)
        kept = _kept(outputs)
        if not kept:
            derivative = derivative.again
    cts = [run("ZerosLike", o) if c is None else c for o, c in zip(outputs[: len(kinds)], cotangents, strict=False)]
    flat = iter(
        run(
            "EagerPyFunc", *kept, *inputs, *cts, token=derivative, Tin=[t._dtype for t in (*kept, *inputs, *cts)],
            Tout=[x._dtype for x, w in zip(inputs, wanted, strict=True) if w],
        )
    )
    return [_shaped(next(flat), x) if w else None for x, w in zip(inputs, wanted, strict=True)]


def _shaped(gradient, source):
    if isinstance(gradient, SymbolicTensor):
        gradient.set_shape(source.shape)
    return gradient


def _kept(outputs) -> list:
    """What a call kept, as a list of one tensor. A node is made to return it; a call of a function that several tapes
    watch is run op by op, and then there is none."""
    if not isinstance(outputs[0], SymbolicTensor):
        return [outputs[-1]] if isinstance(outputs[-1]._value, Kept) else []
    node = outputs[0].op
    if not node.attrs.get("_keeps"):
        node.rewrite(attrs={**node.attrs, "Tout": [*node.attrs["Tout"], dtypes.variant], "_keeps": True})
        kept = SymbolicTensor(node, len(node.outputs), node.graph, dtypes.variant, (), None)
        extend_outputs(node, [*node.outputs, kept])
    return [node.outputs[-1]]


# --- NumPy


def _found(token):
    """The function of a node: itself, or what a name means in this process."""
    function = python_tokens.function_of(token)
    if function is None:
        raise _unknown_callback(token)
    return function


def _numpy_call(input, token, kinds):
    token = _found(token)
    arguments = [v[()] if isinstance(v, np.ndarray) and v.ndim == 0 else np.array(v) for v in input]
    with outside_all_scopes():
        found = [np.asarray(v) for v in _under_op_errors(lambda *args: _values(token(*args)), arguments)]
    _check_count(len(found), len(kinds))
    return [_checked(i, array, kind) for i, (array, kind) in enumerate(zip(found, kinds, strict=True))]


def _unknown_callback(token: str | bytes) -> errors.OpError:
    try:
        name = token.decode() if isinstance(token, bytes) else token.encode().decode()
    except UnicodeError as error:
        return errors.InternalError(None, None, f"The name of a Python function is not UTF-8: {error}")
    return errors.InvalidArgumentError(None, None, f"ValueError: callback {name} is not found")


def _checked(i: int, array, kind):
    """A result as a value of the declared dtype: strings are converted, numbers must have it."""
    if kind is dtypes.string:
        flat = [v if isinstance(v, bytes) else str(v).encode() for v in array.reshape(-1).tolist()]
        return np.fromiter(flat, object, len(flat)).reshape(array.shape)
    if array.dtype != kind.np_dtype:
        given, declared = (C_NAMES.get(n, n) for n in (array.dtype.name, kind.name))
        raise errors.InvalidArgumentError(
            None, None, f"{i}-th value returned by pyfunc is {given}, but expects {declared}"
        )
    return array


@op("PyFunc", shape=_unknown_shapes, grad=NO_GRADIENT, host=True, opaque=True, overlaps=True, touches=("python",))
def py_func(_, input, token, Tout):
    return _numpy_call(input, token, Tout)


@op("PyFuncStateless", shape=_unknown_shapes, grad=NO_GRADIENT, host=True, overlaps=True, touches=("python",))
def py_func_stateless(_, input, token, Tout):
    return _numpy_call(input, token, Tout)


# --- public


def checked_or_decorator(caller: Callable, public: str, func=None, inp=None, Tout=None, **options):
    """What `@caller(Tout=…)` gives while it waits for its function; None for a plain call, which must have all it
    needs.

    Raises:
      TypeError: an argument is missing, or makes no sense for a decorator.
    """
    if Tout is None:
        raise TypeError(
            f"Missing required argument: 'Tout'\n  If using {public} as a decorator, set `Tout`\n  **by name** above "
            f"the function:\n  `@{public}(Tout=tout)`"
        )
    if func is not None:
        if inp is None:
            raise TypeError(
                "Missing argument `inp`:\n  You must set the `inp` argument (the list of arguments to the\n  "
                f"function), unless you use `{public}` as a decorator(`func=None`)."
            )
        return None
    if inp is not None:
        raise TypeError(f"Don't set the `inp` argument when using {public} as a decorator (`func=None`).")

    def decorate(function):
        @functools.wraps(function)
        def call(*args):
            return caller(function, inp=args, Tout=Tout, **options)

        return call

    return decorate


def _specs(Tout):
    """The declared results as specs, and whether there is just one."""
    single = not isinstance(Tout, (list, tuple))
    return [t if isinstance(t, TypeSpec) else TensorSpec(None, t) for t in ([Tout] if single else Tout)], single


def _taken_apart(func, specs, inp):
    """The function on components of composite tensors, returning components."""
    structure = list(inp)
    if not any(getattr(x, "_is_composite", False) for x in structure) and all(isinstance(s, TensorSpec) for s in specs):
        return func

    def flat(*components):
        result = func(*nest.pack_sequence_as(structure, list(components), expand_composites=True))
        if result is None or not specs:
            return result
        values = result if isinstance(result, (list, tuple)) else [result]
        return [
            c
            for v, s in zip(values, specs)
            for c in (nest.flatten(v, expand_composites=True) if _composite(s) else [v])
        ]

    return flat


def _composite(spec) -> bool:
    return not isinstance(spec, TensorSpec)


def _added(name, func, inputs, specs):
    """Dispatch; the results in the order of the specs."""
    parts = [p for s in specs for p in (nest.flatten(s, expand_composites=True) if _composite(s) else [s])]
    kinds = [p.dtype for p in parts]
    attrs = {"token": func, "Tin": [t._dtype for t in inputs], "Tout": kinds}
    if name == "EagerPyFunc" and state.graph is None:
        attrs["_eager"] = True
        if state.tapes and kinds:
            attrs |= {"Tout": [*kinds, dtypes.variant], "_keeps": True}
    outs = list(run(name, *inputs, **attrs))[: len(kinds)]
    flat = iter(outs)  # their shapes stay unknown, also where a spec gives one: nothing checks what a function returns

    def component(spec):
        t = next(flat)
        if state.graph is not None:
            t.set_shape(spec.shape)
        return t

    return [
        s._from_components(nest.map_structure(component, s._component_specs)) if _composite(s) else next(flat)
        for s in specs
    ]


def _require_callable(func) -> None:
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")


@export("py_function")
def py_function(func=None, inp=None, Tout=None, name=None) -> Any:
    """Calls a Python function on eager tensors, also from inside a graph; gradients flow through it.

    Args:
      func: A function of eager tensors; without it the result is a decorator.
      inp: A list of its arguments.
      Tout: What `func` returns: a dtype or a spec, or a list of them.
      name: Has no effect.

    Returns:
      A tensor, or a list of tensors if `Tout` is a list.

    >>> py_function(lambda x: x * 2, [tf.constant(3)], tf.int32).numpy().item()
    6
    """
    if func is None or inp is None or Tout is None:
        return checked_or_decorator(py_function, "tf.py_function", func, inp, Tout, name=name)
    _require_callable(func)
    specs, single = _specs(Tout)
    inp = [x if getattr(x, "_is_composite", False) else convert_to_tensor(x) for x in inp]
    inputs = nest.flatten(inp, expand_composites=True)
    outs = _added("EagerPyFunc", _taken_apart(func, specs, inp), inputs, specs)
    return outs[0] if single else outs


@export("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None) -> Any:
    """Calls a Python function on NumPy arrays, also from inside a graph; gradients do not flow through it.

    Args:
      func: A function of arrays; without it the result is a decorator.
      inp: A list of its arguments.
      Tout: The dtype that `func` returns, or a list of dtypes; not checked in eager code.
      stateful: Whether it may have effects; if not, a call whose result is unused may be left out.
      name: A name for the operation.

    Returns:
      A tensor, or a list of tensors.

    Raises:
      TypeError: `Tout` has specs, in a graph.

    >>> import numpy as np, reflow as tf
    >>> numpy_function(np.sinh, [tf.constant(0.0)], tf.float32).numpy().item()
    0.0
    """
    if func is None or inp is None or Tout is None:
        return checked_or_decorator(numpy_function, "tf.numpy_function", func, inp, Tout, stateful=stateful, name=name)
    _require_callable(func)
    if state.graph is None:  # a plain call: TensorFlow does not check Tout here either
        result = func(*[np.array(x) for x in inp])
        flat = [None if x is None else convert_to_tensor(x) for x in nest.flatten(result)]
        return flat[0] if len(flat) == 1 else flat
    single = not isinstance(Tout, (list, tuple))
    for kind in [Tout] if single else Tout:
        if isinstance(kind, TypeSpec):
            raise TypeError(f"Expected DataType for argument 'Tout' not {kind!r}.")
    inputs = [convert_to_tensor(x) for x in inp]
    with state.graph.name_scope_for(name) if name else contextlib.nullcontext():
        outs = _added("PyFunc" if stateful else "PyFuncStateless", func, inputs, _specs(Tout)[0])
    return outs[0] if single else outs
