"""`tf.xla.experimental`: compiled parts of a version 1 graph. Elsewhere, use `tf.function(jit_compile=True)`."""

from __future__ import annotations

import contextlib

from reflow.api.export import export
from reflow.core import nest
from reflow.core.context import state
from reflow.function.function import Function, Options


@export("xla.experimental.compile")
def compile(computation, inputs=None):
    """Compiles a function of tensors with XLA and calls it.

    Args:
      computation: A function of the tensors in `inputs`.
      inputs: A list of its arguments.

    Returns:
      What the function returns; one tensor, or a tuple of tensors, as a list.

    >>> tf.xla.experimental.compile(lambda x: x * 2.0, [tf.constant(3.0)])[0].numpy().item()
    6.0
    """
    result = Function(computation, options=Options(jit_compile=True))(*(inputs or ()))
    if not nest.is_nested(result):
        return [result]
    flat = isinstance(result, (list, tuple)) and not any(nest.is_nested(part) for part in result)
    return list(result) if flat else result


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
    if state.graph is None:
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try use "
            "tf.function(jit_compile=True)."
        )
    return contextlib.nullcontext()
