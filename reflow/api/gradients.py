"""`tf.custom_gradient`, `tf.gradients`, `tf.recompute_grad`, `tf.RegisterGradient`, `tf.NoGradient`."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Iterator
from typing import Any

from reflow.api.export import export, with_sections
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.name_scope import name_scope
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.eager import jacobian
from reflow.eager.tape import GradientTape, UnconnectedGradients, handle_of, unconnected_value
from reflow.eager.variables import Variable
from reflow.function.gradients import records_of
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Graph
from reflow.ops import convert, registry
from reflow.ops.dispatch import run
from reflow.ops.protocols import Record
from reflow.ops.reverse import GRADIENTS, dense, reverse, stop_recording


@export("custom_gradient")
def custom_gradient(f=None) -> Any:
    """Gives a function its own gradient.

    Args:
      f: A function of tensors that returns its result and a function from the gradients of the result to those of the
        arguments. If it uses variables, that function also takes `variables`, a list, and returns a pair: the gradients
        of the arguments, and a list of those of the variables. Without `f`, the decorator itself is returned.

    Returns:
      A function of the same arguments that returns the result alone.

    Raises:
      TypeError: When it is called: it uses variables, and the gradient function does not take `variables`.
      ValueError: When the gradient is computed: there are more or fewer gradients than arguments.

    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)
    >>> x = tf.constant(1.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x); y = clipped(x) * 10.0
    >>> tape.gradient(y, x).numpy().item()
    1.0
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        return _call_custom(f, args, kwargs)

    return decorated


def _call_custom(f, args, kwargs, recorded: bool = True):
    """Run `f`, then pass its results and arguments through an `IdentityN` whose gradient is the user's.

    That gradient says nothing to the results, so no cotangent reaches what `f` did. It is recorded all the same: the
    user's gradient is made of it, and a second derivative goes through it.
    """
    args = nest.map_structure(lambda a: a if not _is_tensor_like(a) else convert.convert_to_tensor(a), args)
    given = [a for a in nest.flatten(args) if isinstance(a, (Tensor, RaggedTensor, Variable))]
    flat_args = [handle_of(_numbers_of(a)) for a in given]
    with contextlib.nullcontext() if recorded else stop_recording(), GradientTape() as watcher:
        result, grad_fn = f(*args, **kwargs)
    variables = [v for v in watcher.watched_variables() if all(v is not a for a in given)]
    if variables and not _takes_variables(grad_fn):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
            f"{list(variables)}"
        )
    whole = nest.flatten(result)
    results = [convert.convert_to_tensor(_numbers_of(r)) for r in whole]
    flat = [*results, *flat_args, *[v.handle for v in variables]]
    if not state.tapes and state.graph is None:
        return nest.pack_sequence_as(result, _with_numbers(whole, results))
    # those among the arguments too: reads that are not recorded watch nothing
    for variable in watcher.watched_variables():
        for tape in state.tapes:
            tape.watch_variable(variable)
    rows = [w if isinstance(w, RaggedTensor) else None for w in whole]  # plain results are not kept alive
    gradient = _gradient_of(grad_fn, rows, len(flat_args), variables)
    outputs = run("IdentityN", *flat, _gradient_function=gradient, T=[t._dtype for t in flat])
    return nest.pack_sequence_as(result, _with_numbers(whole, outputs[: len(results)]))


def _numbers_of(x):
    """What of a value has a gradient: the flat values of a ragged tensor."""
    return x.flat_values if isinstance(x, RaggedTensor) else x


def _with_numbers(whole, numbers) -> list:
    """The values with other numbers: ragged ones keep their rows."""
    return [w.with_flat_values(n) if isinstance(w, RaggedTensor) else n for w, n in zip(whole, numbers, strict=True)]


def _is_tensor_like(a) -> bool:
    """Whether an argument becomes a tensor. Eager code passes variables unchanged: the function may assign to them."""
    if isinstance(a, Variable):
        return state.graph is not None
    return (
        not isinstance(a, (str, bytes, type(None), bool, RaggedTensor))
        and not callable(a)
        and (hasattr(a, "dtype") or isinstance(a, (int, float)))
    )


def _takes_variables(grad_fn) -> bool:
    parameters = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _gradient_of(grad_fn, results, n_args, variables):
    n_results = len(results)

    def gradient(attrs, inputs, outputs, cotangents, wanted):
        given = [
            run("ZerosLike", o) if c is None else dense(c)
            for o, c in zip(outputs[:n_results], cotangents[:n_results], strict=True)
        ]
        given = _with_numbers(results, given)
        if variables:
            found = grad_fn(*given, variables=list(variables))
            found, for_variables = found
        else:
            found, for_variables = grad_fn(*given), []
        flat = [_numbers_of(g) for g in (nest.flatten(found) if nest.is_nested(found) else [found])]
        if len(flat) != n_args:
            raise ValueError(
                f"custom_gradient function expected to return {n_args} gradients, but returned {len(flat)} instead."
            )
        flat = [
            g
            if g is None or hasattr(g, "_dtype")
            else convert.convert_to_tensor(g, dtype_hint=inputs[n_results + i]._dtype)
            for i, g in enumerate(flat)
        ]
        return [None] * n_results + flat + list(for_variables)

    return gradient


#: what the docstrings of `tf.gradients` of both versions have in common
DERIVATIVES = """\
Args:
  ys: A tensor or a list of tensors.
  xs: A tensor or variable, or a list of them.
  grad_ys: For each of `ys` the gradient that it is given, or None for ones.
  name: The name scope of the ops that are added.
  gate_gradients: Has no effect.
  aggregation_method: Has no effect.
  stop_gradients: Tensors through which no gradient flows: they count as constants.
  unconnected_gradients: What is returned for one of `xs` on which `ys` does not depend: "none" for None, or "zero"
    for zeros.

Returns:
  A list with a tensor for each of `xs`.
"""


@export("gradients")
@with_sections(DERIVATIVES)
def gradients(
    ys, xs, grad_ys=None, name="gradients", gate_gradients=False, aggregation_method=None, stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """Computes symbolic derivatives of the sum of `ys` with respect to each of `xs`, in a graph.

    Raises:
      RuntimeError: There is no graph; `tf.GradientTape` is for eager code.
      ValueError: `ys` and `grad_ys` differ in length.

    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x * x, x)[0]
    >>> slope(tf.constant(3.0)).numpy().item()
    6.0
    """
    if state.graph is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    with name_scope(name or "gradients"):
        return _gradients(ys, xs, grad_ys, stop_gradients, unconnected_gradients)


def _gradients(ys, xs, grad_ys, stop_gradients, unconnected_gradients) -> list:
    targets = [convert.convert_to_tensor(y) for y in nest.flatten(ys)]
    sources = nest.flatten(xs)
    # of a variable that was passed as an argument the graph knows by which placeholder it came
    graph = state.graph
    handles = [
        graph.capture(t) if t._dtype is dtypes.resource and getattr(t, "_graph", None) is not graph else t
        for t in map(handle_of, sources)
    ]
    given = grad_ys if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    # what is given for one tensor may be a nested list of numbers
    seeds = [None] * len(targets) if grad_ys is None else given if len(given) == len(targets) else nest.flatten(grad_ys)
    seeds = [
        convert.ones_like(t) if s is None else s if isinstance(s, IndexedSlices) else convert.convert_to_tensor(s)
        for t, s in zip(targets, seeds, strict=True)
    ]
    stops = {t._id for t in nest.flatten(stop_gradients)} if stop_gradients is not None else set()
    records = [r for r in _records_from_outside(state.graph) if not any(o._id in stops for o in r[2])]
    grads = reverse(records, targets, seeds, handles)
    if unconnected_value(unconnected_gradients) is UnconnectedGradients.ZERO:
        grads = [convert.zeros_like_source(s) if g is None else g for s, g in zip(sources, grads, strict=True)]
    return grads


def _records_from_outside(graph: Graph) -> list[Record]:
    """The records of a graph and of those around it, outermost first.

    A captured tensor is the identity of the one outside.
    """
    if not isinstance(graph, FuncGraph):
        return records_of(graph)
    identity = registry.get("Identity")
    around = [] if graph.parent is None else _records_from_outside(graph.parent)
    captures: Iterator[Record] = ((identity, (outer,), (inner,), {}) for outer, inner in graph.captures)
    # not the placeholders: captures have records already
    return [*around, *captures, *(r for r in records_of(graph) if r[1])]


@export("RegisterGradient")
class RegisterGradient:
    """Registers the decorated function as the gradient of an op type, or under a name for `gradient_override_map`.

    The function has the parameters `(op, *grads)`, where `grads` are the gradients of the op's outputs, and returns
    those of its inputs.

    Args:
      op_type: The name of the op type.

    Raises:
      TypeError: `op_type` is not a string.
      KeyError: There is a gradient for it already.

    >>> @tf.RegisterGradient("DoubledInTheExample")
    ... def doubled(op, grad):
    ...     return 2.0 * grad
    """

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f):
        record = registry.REGISTRY.get(self._op_type)
        if self._op_type in GRADIENTS or (record is not None and record.differentiable):
            raise KeyError(f"Registering two gradient with name '{self._op_type}'!")

        def gradient(attrs, inputs, outputs, cotangents, wanted):
            node = getattr(outputs[0], "op", None) or _EagerNode(inputs, outputs, attrs)
            given = [  # outputs without derivatives have none
                run("ZerosLike", o) if c is None and o._dtype.kind in "fc" else c
                for o, c in zip(outputs, cotangents, strict=True)
            ]
            found = f(node, *given)
            return list(found) if isinstance(found, (list, tuple)) else [found]

        gradient.__wrapped__ = f  # type: ignore[attr-defined] # as `functools.wraps` does
        GRADIENTS[self._op_type] = gradient
        return f


class _EagerNode:
    """What a registered gradient sees of an eager op."""

    def __init__(self, inputs, outputs, attrs):
        self.inputs, self.outputs, self._attrs = list(inputs), list(outputs), attrs

    def get_attr(self, name):
        return self._attrs[name]


@export("no_gradient", "NoGradient")
def no_gradient(op_type: str):
    """Declares an op type as not differentiable.

    Args:
      op_type: The name of the op type.

    Returns:
      None.

    Raises:
      TypeError: `op_type` is not a string.

    >>> tf.no_gradient("OpOfTheExample")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    GRADIENTS[op_type] = lambda attrs, inputs, outputs, cotangents, wanted: [None] * len(inputs)


@export("recompute_grad")
def recompute_grad(f):
    """Wraps a function so that it keeps no intermediate results: its gradient recomputes them.

    Args:
      f: A function of tensors; what it does must be the same when it runs again.

    Returns:
      A function with the arguments and results of `f`.

    >>> square = recompute_grad(lambda x: x * x)
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x); y = square(x)
    >>> tape.gradient(y, x).numpy().item()
    6.0
    """

    def inner(*args, **kwargs):
        result = f(*args, **kwargs)

        def grad(*cotangents, variables=None):
            held = list(variables or ())
            with GradientTape() as tape:
                again = [convert.convert_to_tensor(a) for a in args]
                again = [run("Identity", a) for a in again]
                tape.watch(again)
                tape.watch(held)
                out = f(*again, **kwargs)
            grads = tape.gradient(out, [again, held], output_gradients=nest.pack_sequence_as(out, cotangents))
            return (grads[0], grads[1]) if variables is not None else grads[0]

        return result, grad

    def recomputed(*args, **kwargs):
        return _call_custom(inner, args, kwargs, recorded=False)

    recomputed.__wrapped__ = f  # type: ignore[attr-defined]
    return recomputed


@export("grad_pass_through")
def grad_pass_through(f):
    """Gives a function the gradient of the identity: gradients of its result pass unchanged to its argument.

    Args:
      f: A function of one tensor, with a result of the same shape.

    Returns:
      A function with the argument and result of `f`.

    >>> x = tf.constant(1.6)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x); y = grad_pass_through(tf.round)(x)
    >>> y.numpy().item(), tape.gradient(y, x).numpy().item()
    (2.0, 1.0)
    """

    @custom_gradient
    def passed(*args, **kwargs):
        def grad(*cotangents, variables=None):
            return (cotangents, [None] * len(variables)) if variables is not None else cotangents

        return f(*args, **kwargs), grad

    return functools.wraps(f)(lambda *args, **kwargs: passed(*args, **kwargs)) if hasattr(f, "__name__") else passed


@export("hessians")
def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    """Computes the second derivatives of the sum of `ys` with respect to each of `xs`, in a graph.

    Args:
      ys: A tensor or a list of tensors.
      xs: A tensor or a list of tensors.
      gate_gradients: Has no effect.
      aggregation_method: Has no effect.
      name: Has no effect.

    Returns:
      A list with a tensor of shape `x.shape + x.shape` for each `x` of `xs`; None if the first derivative does not
      depend on it.

    Raises:
      RuntimeError: There is no graph.

    >>> tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x)[0])(tf.constant([1.0, 2.0])).numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    sources = nest.flatten(xs)
    first = gradients(ys, sources, gate_gradients=gate_gradients, aggregation_method=aggregation_method)
    records = records_of(state.graph)  # now: the rows are differentiated in a separate graph
    return [
        jacobian.jacobian(lambda seed, g=g, x=x: reverse(records, [g], [seed], [handle_of(x)]), g, [x])[0]
        for g, x in zip(first, sources, strict=True)
    ]
