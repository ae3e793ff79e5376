"""`tensorflow.python.framework.test_util`: what libraries use of it beside `tf.test.TestCase`."""

from __future__ import annotations

import contextlib
import functools
import inspect
import unittest
from collections.abc import Callable
from typing import Any

from reflow.api.framework.internal import tf2_enabled
from reflow.core.context import swapped
from reflow.graph.graph import Graph


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


def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True):
    """Run a test twice: in a session's graph, then, set up anew, in eager code."""
    if func is None:
        return functools.partial(run_in_graph_and_eager_modes, config=config, use_gpu=use_gpu)
    if inspect.isclass(func):
        raise ValueError(
            "`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
            "`run_all_in_graph_and_eager_modes`?"
        )

    @functools.wraps(func)
    def run(self, *args, **kwargs):
        skipped = contextlib.suppress(unittest.SkipTest)
        with skipped, Graph().as_default(), self.test_session(use_gpu=use_gpu, config=config):
            func(self, *args, **kwargs)
        self.tearDown()
        with swapped(graph=None):
            self.setUp()
            func(self, *args, **kwargs)

    return run


def run_all_in_graph_and_eager_modes(cls):
    """The class whose tests all run in both modes."""
    for name, test in list(vars(cls).items()):
        if name.startswith("test") and name != "test_session" and callable(test):
            setattr(cls, name, run_in_graph_and_eager_modes(test))
    return cls
