"""`tf.experimental.async_scope` and related functions: how eager code runs.

Here an eager op on the host has finished when it returns, and one on a GPU raises at the latest when its result is
read. So waiting for pending ops means waiting for the GPU only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from reflow.api.export import export
from reflow.core import errors
from reflow.devices import placement

#: the executors that TensorFlow has for functions
EXECUTORS = ("", "DEFAULT", "SINGLE_THREADED_EXECUTOR")


@export("experimental.async_scope")
@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """Opens a block in which ops may return before they have finished; all have finished at its end.

    Returns:
      A context manager.

    >>> with tf.experimental.async_scope():
    ...     x = tf.constant(1.0) + 1.0
    >>> float(x)
    2.0
    """
    yield
    sync_devices()


@export("experimental.async_clear_error")
def async_clear_error() -> None:
    """Forgets what is left of ops that failed, and waits for what is under way.

    Errors are raised by the op that fails, so nothing is left.

    Returns:
      None.

    >>> tf.experimental.async_clear_error()
    """
    sync_devices()


@export("test.experimental.sync_devices")
def sync_devices() -> None:
    """Waits until all devices have finished, which accurate timing needs.

    Returns:
      None.

    >>> x = tf.ones([100, 100])
    >>> product = tf.linalg.matmul(x, x)
    >>> tf.test.experimental.sync_devices()
    """
    if not placement.placing():
        return
    import jax

    for device in placement.places().names:
        # a device runs its programs in order, so this one ends last
        jax.block_until_ready(jax.jit(lambda x: x + 1)(jax.device_put(0, device)))


@export("experimental.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Opens a block in which functions use a named TensorFlow executor. Results are the same.

    Args:
      executor_type: "DEFAULT", "SINGLE_THREADED_EXECUTOR", or "" or None for the default.

    Returns:
      A context manager.

    Raises:
      NotFoundError: There is no such executor; raised when the block is entered.

    >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
    ...     print(tf.function(lambda: tf.constant(1) + 1)().numpy())
    2
    """
    if (executor_type or "") not in EXECUTORS:
        raise errors.NotFoundError(
            None, None,
            f"No executor factory registered for the given executor type: {executor_type}. The registered executor "
            f"types are: {', '.join(EXECUTORS[1:])}.",
        )
    yield
