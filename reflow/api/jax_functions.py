"""`reflow.from_jax` and `reflow.to_jax`: JAX functions on tensors, and functions of tensors in JAX.

A JAX function becomes one op, `Reflow>JaxCall`, whose kernel is the function itself. Eagerly it runs compiled; in a
`tf.function` it is part of the program. Its gradient is another such op, of the function's `jax.vjp`, so there are
gradients of every order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reflow.api.array.creation import zeros_like
from reflow.api.export import export
from reflow.core import dtypes, errors, nest
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs, Dims
from reflow.function.function import Function, Options
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch
from reflow.ops.protocols import Cotangents, Xp
from reflow.ops.registry import own_op
from reflow.ops.reverse import dense
from reflow.ops.shape_facts import NodeFacts, Shapes
from reflow.ops.xp import host as host_xp

#: sample sizes for an unknown dimension while a result's shape is inferred; a result that differs between them is
#: unknown too
_PROBES = (2, 3)


class FlatFunction:
    """A JAX function from a list of `count` arrays to a list; compiled once for each shape."""

    def __init__(self, function: Callable[[list], list], count: int) -> None:
        self.function, self.count = function, count

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Compiled, on arrays of the host."""
        from reflow.ops.xp.xla.base import wide_types  # JAX takes a second to load, which `import reflow` must not

        with wide_types():
            return [np.asarray(x) for x in self._compiled(list(arrays))]

    @functools.cached_property
    def _compiled(self) -> Callable[[list], list]:
        import jax

        return jax.jit(self.function)

    @functools.cache  # noqa: B019 - as long as the function lives, which the user's function does too
    def derivative(self, results: int) -> FlatFunction:
        """The cotangents of the inputs, zeros for integers, as a function of the inputs and the results' cotangents."""
        import jax
        import jax.numpy as jnp

        def is_float(x: Any) -> bool:
            return bool(jnp.issubdtype(x.dtype, jnp.inexact))

        def function(arrays: list) -> list:
            inputs, cotangents = arrays[: self.count], arrays[self.count :]
            places = [i for i, x in enumerate(inputs) if is_float(x)]

            def of_floats(floats: list) -> list:
                given = dict(enumerate(inputs)) | dict(zip(places, floats, strict=True))
                return [y for y in self.function(list(given.values())) if is_float(y)]

            _, pull = jax.vjp(of_floats, [inputs[i] for i in places])
            # a gradient of TensorFlow is the conjugate of JAX's
            (found,) = pull([jnp.conj(c) for c in cotangents if is_float(c)])
            by_place = dict(zip(places, found, strict=True))
            return [jnp.conj(by_place[i]) if i in by_place else jnp.zeros_like(x) for i, x in enumerate(inputs)]

        return FlatFunction(function, self.count + results)

    @functools.lru_cache(maxsize=256)  # noqa: B019 - as above
    def results(self, specs: tuple[tuple[Dims, dtypes.DType], ...]) -> list[tuple[Dims | None, dtypes.DType]]:
        """Shapes and dtypes of the results for inputs of these."""
        import jax

        from reflow.ops.xp.xla.base import wide_types

        found = []
        with wide_types():
            for size in _PROBES:
                shapes = [
                    jax.ShapeDtypeStruct([size if d is None else d for d in dims], kind.np_dtype)
                    for dims, kind in specs
                ]
                found.append(jax.eval_shape(self.function, shapes))
        return [
            (tuple(m if m == n else None for m, n in zip(a.shape, b.shape, strict=True)), dtypes.as_dtype(a.dtype))
            for a, b in zip(*found, strict=True)
        ]


def _shapes(f: NodeFacts) -> Shapes:
    return list(f.attrs["shapes"])


def _gradient(
    attrs: Attrs, inputs: Sequence[Tensor], outputs: Sequence[Tensor], cotangents: Cotangents, wanted: Sequence[bool]
) -> Cotangents:
    """One more call, of the derivative."""
    given = [zeros_like(y) if c is None else dense(c) for y, c in zip(outputs, cotangents, strict=True)]
    derivative = attrs["function"].derivative(len(outputs))
    found = _called(derivative, [*inputs, *given], [(x.shape._dims, x._dtype) for x in inputs])
    return [g if w and x._dtype.kind in "fc" else None for g, w, x in zip(found, wanted, inputs, strict=True)]


@own_op(
    "JaxCall", inputs="*values", outputs="*outputs", attrs=("function", "shapes"), shape=_shapes,
    grad_tensors=_gradient, touches=("python",),
)
def jax_call(xp: Xp, values: Sequence[Any], function: FlatFunction, shapes: Any) -> list[Any]:
    """Run a JAX function."""
    return function.run(values) if xp is host_xp else function.function(list(values))


def _called(
    function: FlatFunction, tensors: Sequence[Tensor], results: Sequence[tuple[Dims | None, dtypes.DType]]
) -> list[Tensor]:
    attrs = {
        "function": function, "shapes": tuple(dims for dims, _ in results), "Tin_values": [t._dtype for t in tensors],
        "Tout": [kind for _, kind in results],
    }  # fmt: skip
    return list(dispatch(jax_call, tensors, attrs))


@export("from_jax")
def from_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """A JAX function as a function of tensors: usable eagerly, in `tf.function`, with gradients of every order.

    Args:
      function: a function of arrays, or of nested structures of them, that `jax.jit` takes.

    Returns:
      The same function of tensors and of what can become one.

    Raises:
      ValueError: a tensor's rank is not known.

    >>> import jax.numpy as jnp
    >>> wave = tf.from_jax(lambda x: {"sin": jnp.sin(x), "twice": 2 * x})
    >>> x = tf.constant(0.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = wave(x)["sin"]
    >>> float(y), float(tape.gradient(y, x))
    (0.0, 1.0)
    """

    import jax

    @functools.cache
    def of_tree(tree: Any) -> tuple[FlatFunction, list[Any]]:
        """The function for arguments of one structure, and a list with the structure of its results once they have been
        asked for."""
        found: list[Any] = []

        def flat(arrays: list) -> list:
            positional, named = jax.tree.unflatten(tree, arrays)
            leaves, found[:] = _split(jax.tree.flatten(function(*positional, **named)))
            return leaves

        return FlatFunction(flat, tree.num_leaves), found

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        tensors = [convert_to_tensor(x) for x in leaves]
        if any(t.shape.rank is None for t in tensors):
            raise ValueError("A JAX function needs to know the ranks of its arguments; use tf.ensure_shape.")
        flat, structure = of_tree(tree)
        results = flat.results(tuple((t.shape._dims, t._dtype) for t in tensors))
        return jax.tree.unflatten(structure[0], _called(flat, tensors, results))

    return call


def _split(flattened: tuple[list, Any]) -> tuple[list, list]:
    leaves, tree = flattened
    return leaves, [tree]


@export("to_jax")
def to_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors as a JAX function, for `jax.jit`, `jax.grad` and `jax.vmap`.

    Args:
      function: a Python function or a `tf.function`. What it captures is a constant for JAX, variables with the values
        that they have when JAX traces it. It must become one program: it changes no variables, draws no random numbers,
        has no strings and no prints.

    Returns:
      A function of JAX arrays, or of nested structures of them.

    Raises:
      InvalidArgumentError: the function is not one program.

    >>> import jax
    >>> square = tf.to_jax(lambda x: tf.reduce_sum(x * x))
    >>> jax.grad(square)(jax.numpy.array([1.0, 2.0])).tolist()
    [2.0, 4.0]
    """
    traced = function if isinstance(function, Function) else Function(function, options=Options())

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        import jax

        from reflow.compile.as_jax import whole_function

        leaves, tree = jax.tree.flatten((args, kwargs))
        specs = [TensorSpec(TensorShape(np.shape(x)), dtypes.as_dtype(jax.numpy.result_type(x))) for x in leaves]
        positional, named = jax.tree.unflatten(tree, specs)
        graph = traced.get_concrete_function(*positional, **named).graph
        program = whole_function(graph, reads_variables=True)
        if program is None:
            raise errors.InvalidArgumentError(
                None, None,
                f"to_jax: {graph.name} is not one program: it changes variables, draws random numbers, or has "
                "ops without a form in XLA.",
            )
        results = program([t._value for t in graph.external_captures], leaves)
        return nest.pack_sequence_as(graph.structured_outputs, results, expand_composites=True)

    return call
