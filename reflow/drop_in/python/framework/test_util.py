"""`tensorflow.python.framework.test_util`: what libraries use of it beside `tf.test.TestCase`."""

from __future__ import annotations

from collections.abc import Callable


def disable_cudnn_autotune(func: Callable) -> Callable:
    """The function itself: convolutions are not chosen by timing them here, so there is nothing to switch off for its time."""
    return func
