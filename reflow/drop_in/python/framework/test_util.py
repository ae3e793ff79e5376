"""`tensorflow.python.framework.test_util`: what libraries use of it beside `tf.test.TestCase`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from reflow.api.framework.internal import tf2_enabled


def disable_cudnn_autotune(func: Callable) -> Callable:
    """The function itself: convolutions are not chosen by timing them here, so there is nothing to switch off."""
    return func


def run_v1_only(reason=None, func=None):
    """Skip a test, or all tests of a class, while the behaviour is that of TensorFlow 2."""
    return _run_if(lambda: not tf2_enabled(), reason or "Test is only compatible with v1", func)


def run_v2_only(func=None, reason=None):
    """Skip a test, or all tests of a class, while the behaviour is that of TensorFlow 1."""
    return _run_if(tf2_enabled, reason or "Test is only compatible with v2", func)


def _run_if(holds: Callable[[], bool], reason: str, func):
    def decorate(test: Any) -> Any:
        if inspect.isclass(test):
            test.setUp = decorate(test.setUp)  # type: ignore[attr-defined]
            return test

        @functools.wraps(test)
        def run(self, *args, **kwargs):
            if not holds():
                self.skipTest(reason)
            return test(self, *args, **kwargs)

        return run

    return decorate if func is None else decorate(func)
