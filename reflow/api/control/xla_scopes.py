"""`tf.xla.experimental`: compiled parts of a version 1 graph. Elsewhere, use `tf.function(jit_compile=True)`."""

from __future__ import annotations

import contextlib

from reflow.api.export import export
from reflow.core import nest
from reflow.core.context import state
from reflow.function.function import Function, Options


def _only_in_graphs(name: str) -> None:
    if state.graph is None:
        raise RuntimeError(
            f"xla.experimental.{name} is not supported when eager execution is enabled. Try use "
            "tf.function(jit_compile=True)."
        )


@export("xla.experimental.compile")
def compile(computation, inputs=None):
    """Compiles a function of tensors with XLA and calls it, in a graph of version 1.

    Args:
      computation: A function of the tensors in `inputs`.
      inputs: A list of its arguments.

    Returns:
      What the function returns; a single tensor as a tuple.

    Raises:
      RuntimeError: In eager code.

    >>> with tf.Graph().as_default():
    ...     (y,) = tf.xla.experimental.compile(lambda x: x * 2.0, [tf.constant(3.0)])
    ...     print(tf.compat.v1.Session().run(y))
    6.0
    """
    _only_in_graphs("compile")
    result = Function(computation, options=Options(jit_compile=True))(*(inputs or ()))
    return result if nest.is_nested(result) else (result,)


@export("xla.experimental.jit_scope")
def jit_scope(compile_ops=True, separate_compiled_gradients=False):
    """Marks ops that may be compiled together, in a graph of version 1; Reflow compiles what it can anyway.

    Args:
      compile_ops: Has no effect.
      separate_compiled_gradients: Has no effect.

    Returns:
      A context manager that does nothing.

    Raises:
      RuntimeError: In eager code.

    >>> with tf.Graph().as_default(), tf.xla.experimental.jit_scope():
    ...     doubled = tf.constant(3.0) * 2.0
    """
    _only_in_graphs("jit_scope")
    return contextlib.nullcontext()
