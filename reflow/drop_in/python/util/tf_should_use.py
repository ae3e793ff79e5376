"""`tensorflow.python.util.tf_should_use`: results that somebody must use, or else it is logged."""

import functools
import sys
import traceback

from reflow.core import logging
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.drop_in.python.framework.ops import add_exit_callback_to_default_func_graph

OVERLOADABLE_OPERATORS = Tensor.OVERLOADABLE_OPERATORS


class _Use:
    """Whether an object was used, and what to say when it is thrown away unused."""

    def __init__(self, value, frame, error_in_function):
        self.used = False
        self._value_type, self._text, self._frame = type(value), repr(value), frame
        if state.graph is not None and state.graph.building_function and error_in_function:
            add_exit_callback_to_default_func_graph(self._require)

    def _message(self):
        created = "".join(line.rstrip() for line in traceback.format_stack(self._frame, limit=5))
        return (
            f"Object was never used (type {self._value_type}): {self._text}. If you want to mark it as used call its "
            f'"mark_used()" method. It was originally created here:\n{created}'
        )

    def _require(self):
        if not self.used:
            self.used = True  # it is said once
            raise RuntimeError(self._message())

    def __del__(self):
        if not self.used:
            logging.error(self._message())


class ShouldUseWrapper:
    """Stands for an object, and notes the first use of it."""

    def __init__(self, value, use):
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_use", use)

    def __getattribute__(self, name):
        use = object.__getattribute__(self, "_use")
        use.used = True
        if name == "mark_used":
            return lambda *args, **kwargs: None
        return getattr(object.__getattribute__(self, "_value"), name)

    def __setattr__(self, name, value):
        setattr(object.__getattribute__(self, "_value"), name, value)


def _forwarded(name):
    """The operator `name` of what a wrapper stands for."""

    def operator(self, *args):
        object.__getattribute__(self, "_use").used = True
        return getattr(object.__getattribute__(self, "_value"), name)(*args)

    return operator


for _word in ["add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "pow", "matmul"]:
    setattr(ShouldUseWrapper, f"__{_word}__", _forwarded(f"__{_word}__"))
    setattr(ShouldUseWrapper, f"__r{_word}__", _forwarded(f"__r{_word}__"))
for _word in ["lt", "le", "gt", "ge", "getitem", "invert", "neg", "abs"]:
    setattr(ShouldUseWrapper, f"__{_word}__", _forwarded(f"__{_word}__"))


def _add_should_use_warning(x, error_in_function=False, warn_in_eager=False):
    """An object that logs an error if nobody uses it: in a plain graph, eagerly if `warn_in_eager`; in a function it
    raises one at the end of the trace if `error_in_function`."""
    if x is None or isinstance(x, list) and not x:
        return x
    graph = state.graph
    watched = warn_in_eager if graph is None else error_in_function or not graph.building_function
    return ShouldUseWrapper(x, _Use(x, sys._getframe(1), error_in_function)) if watched else x


def should_use_result(fn=None, warn_in_eager=False, error_in_function=False):
    """Decorates a function whose result somebody must use, see `_add_should_use_warning`."""

    def decorated(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            return _add_should_use_warning(function(*args, **kwargs), error_in_function, warn_in_eager)

        return call

    return decorated if fn is None else decorated(fn)
