"""`tensorflow.python.profiler.trace`: functions whose calls a profile shows."""

import functools

from reflow.summary.profiler import Trace as Trace


def trace_wrapper(trace_name, **trace_kwargs):
    """A decorator: a profile shows each call under a name. Without one, `@trace_wrapper`, it is the function's."""
    if callable(trace_name):
        return trace_wrapper(trace_name.__name__)(trace_name)

    def decorate(function):
        @functools.wraps(function)
        def traced(*args, **kwargs):
            with Trace(trace_name, **trace_kwargs):
                return function(*args, **kwargs)

        return traced

    return decorate
