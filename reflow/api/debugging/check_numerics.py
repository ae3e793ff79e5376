"""`tf.debugging.enable_check_numerics`: every op of this thread that produces a NaN or an infinity fails, and is named.

While it is on, the thread has a backend that checks results (`reflow/backends/checked.py`). When it is off, there is no
overhead.
"""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.backends.checked import CheckedBackend
from reflow.core.context import state
from reflow.ops.convert import convert_to_tensor


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """Makes every op fail whose result has a NaN or an infinity, in eager code and in functions traced later.

    The limits are about the stack trace that TensorFlow puts into a graph's message; here the error's own traceback has
    it.

    Args:
      stack_height_limit: Has no effect, but must be positive.
      path_length_limit: Has no effect, but must be positive.

    Returns:
      None. From now on such ops of this thread raise `InvalidArgumentError`.

    Raises:
      ValueError: A limit is not positive.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    """
    for name, limit in (("stack_height_limit", stack_height_limit), ("path_length_limit", path_length_limit)):
        if limit <= 0:
            raise ValueError(f"Argument `{name}` must be positive. Received: {limit}")
    own = state.own_backend
    if not isinstance(own, CheckedBackend):
        state.put({"backend": CheckedBackend(own)})


@export("debugging.disable_check_numerics")
def disable_check_numerics():
    """Undoes `enable_check_numerics`. Functions traced in between keep their checks.

    Returns:
      None.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    >>> (tf.constant(1.0) / 0.0).numpy().item()
    inf
    """
    own = state.own_backend
    if isinstance(own, CheckedBackend):
        state.put({"backend": own._inner})


@export("check_pinned")
def check_pinned(tensor, name=None):
    """Tells whether a tensor is in memory pinned for copies to a GPU: only a build with CUDA can.

    Args:
      tensor: Any tensor.
      name: A name for the operation.

    Returns:
      Nothing: it always raises.

    Raises:
      FailedPreconditionError: Always, as TensorFlow without CUDA does.

    >>> try:
    ...     tf.check_pinned([1.0])
    ... except tf.errors.FailedPreconditionError as error:
    ...     print("needs CUDA")
    needs CUDA
    """
    return call("CheckPinned", (convert_to_tensor(tensor),), {}, name)
