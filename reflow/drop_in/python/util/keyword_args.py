"""`tensorflow.python.util.keyword_args`: functions that are called with names alone."""

import functools

from reflow.drop_in.python.util.decorator_utils import validate_callable


def keyword_args_only(func):
    """Let a function take its arguments by name only; ValueError for one by position."""
    validate_callable(func, "keyword_args_only")

    @functools.wraps(func)
    def call(*args, **kwargs):
        if args:
            raise ValueError(
                f"The function {func.__name__} only accepts keyword arguments. Do not pass positional arguments. "
                f"Received the following positional arguments: {args}"
            )
        return func(**kwargs)

    return call
