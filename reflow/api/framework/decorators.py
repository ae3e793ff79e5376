"""Decorators, and a look through them, that libraries on TensorFlow take from its private modules: `deprecated` and its
relatives, `getfullargspec`.

They are found below `tensorflow.python.util` (`reflow/drop_in/names.py`).
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re

from reflow.api.export import export
from reflow.api.framework.internal import unwrap
from reflow.core.logging import get_logger

_silent: list[bool] = [False]
_strict: list[bool] = [False]
_told: set[tuple] = set()


@export("__internal__.deprecation.silence")
@contextlib.contextmanager
def silence():
    """Log no deprecation inside the block."""
    before, _silent[0] = _silent[0], True
    try:
        yield
    finally:
        _silent[0] = before


@export("experimental.enable_strict_mode")
def enable_strict_mode() -> None:
    """Make what is deprecated raise a RuntimeError in place of a warning, for the rest of the process.

    >>> tf.experimental.enable_strict_mode()  # doctest: +SKIP
    """
    _strict[0] = True


def _tell(key: tuple, text: str) -> None:
    """Log a warning, once for each key; in strict mode raise."""
    if _silent[0] or key in _told:
        return
    if _strict[0]:
        get_logger().error(text)
        raise RuntimeError("This behavior has been deprecated, which raises an error in strict mode.")
    _told.add(key)
    get_logger().warning(text)


def _check(date, instructions) -> None:
    if date is not None and not re.fullmatch(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError(
            "Don't deprecate things without conversion instructions! Specify the `instructions` argument."
        )


def _when(date) -> str:
    return "in a future version" if date is None else f"after {date}"


@export("__internal__.deprecation.deprecated")
def deprecated(date, instructions, warn_once=True):
    """Mark a function as deprecated: its first call (every call without `warn_once`) logs what to do instead.

    >>> @deprecated("2030-01-01", "Use new().")
    ... def old():
    ...     return 1
    >>> old()
    1
    """
    _check(date, instructions)

    def decorate(function):
        name = f"{function.__module__}.{function.__qualname__}"
        text = f"{name} is deprecated and will be removed {_when(date)}.\nInstructions for updating:\n{instructions}"

        @functools.wraps(function)
        def call(*args, **kwargs):
            _tell((name,) if warn_once else (name, object()), text)
            return function(*args, **kwargs)

        call.__doc__ = f"{function.__doc__ or ''}\n\nDeprecated: {instructions}"
        return call

    return decorate


@export("__internal__.deprecation.deprecated_args")
def deprecated_args(date, instructions, *names, **options):
    """Mark arguments as deprecated: the first call that gives one logs what to do instead.

    A name may come with the value at which nothing is said: `("axis", None)`. `warn_once=False` speaks at every call.
    """
    _check(date, instructions)
    quiet: dict = dict(n if isinstance(n, tuple) else (n, inspect.Parameter.empty) for n in names)
    once = options.get("warn_once", True)

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            given = signature.bind_partial(*args, **kwargs).arguments
            for name in quiet.keys() & given.keys():
                if given[name] is not quiet[name]:
                    key = (function.__module__, function.__qualname__, name)
                    text = (
                        f"From {function.__module__}.{function.__qualname__}: the argument {name!r} is deprecated and will "
                        f"be removed {_when(date)}.\nInstructions for updating:\n{instructions}"
                    )
                    _tell(key if once else (*key, object()), text)
            return function(*args, **kwargs)

        return call

    return decorate


@export("__internal__.deprecation.deprecated_endpoints")
def deprecated_endpoints(*names):
    """Note public names under which a function is deprecated."""

    def decorate(function):
        function._tf_deprecated_api_names = names
        return function

    return decorate


@export("__internal__.getfullargspec")
def getfullargspec(function) -> inspect.FullArgSpec:
    """The parameters of what a decorator of TensorFlow, `tf.function` among them, stands for. Of any other wrapper they are its own.

    The types of Reflow's own functions are left out: libraries compare the answer with that for a function of theirs, and most of
    TensorFlow's functions have none.

    >>> getfullargspec(tf.function(lambda a, b=1: a)).args
    ['a', 'b']
    """
    decorators, _ = unwrap(function)
    given = next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)
    if isinstance(given, inspect.FullArgSpec):
        return given
    target = inspect.unwrap(unwrap(function)[1], stop=lambda f: not getattr(f, "__globals__", {}).get("__name__", "").startswith("reflow."))
    spec = inspect.getfullargspec(target)
    ours = (getattr(target, "__module__", None) or "").startswith("reflow.")
    return spec._replace(annotations={}) if ours else spec
