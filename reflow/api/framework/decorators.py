"""Deprecation and decorator inspection, which libraries import from TensorFlow's private modules.

The decorators themselves are in `reflow/drop_in/python/util/deprecation.py`.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Hashable, Iterator

from reflow.api.export import export
from reflow.api.framework.internal import unwrap
from reflow.core.logging import get_logger, warn

_silent: list[bool] = [False]
_strict: list[bool] = [False]
#: what has been said already
told: dict[Hashable, bool] = {}


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Log no deprecation inside the block."""
    before, _silent[0] = _silent[0], True
    try:
        yield
    finally:
        _silent[0] = before


@export("experimental.enable_strict_mode")
def enable_strict_mode() -> None:
    """Makes what is deprecated raise a RuntimeError in place of a warning, for the rest of the process.

    Returns:
      None.

    >>> tf.experimental.enable_strict_mode()  # doctest: +SKIP
    """
    _strict[0] = True


def tell(key: Hashable | None, message: str, *args: object) -> None:
    """Log a warning, once for each key, always without one; in strict mode raise."""
    if _silent[0] or key is not None and key in told:
        return
    if _strict[0]:
        get_logger().error(message, *args)
        raise RuntimeError("This behavior has been deprecated, which raises an error in strict mode.")
    if key is not None:
        told[key] = True
    warn(message, *args)


@export("__internal__.getfullargspec")
def getfullargspec(function) -> inspect.FullArgSpec:
    """The parameters behind a TensorFlow decorator, such as `tf.function`. For any other wrapper, its own.

    The types of Reflow's own functions are left out: libraries compare the answer with that for a function of theirs,
    and most of TensorFlow's functions have none.

    >>> getfullargspec(tf.function(lambda a, b=1: a)).args
    ['a', 'b']
    """
    decorators, _ = unwrap(function)
    given = next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)
    if isinstance(given, inspect.FullArgSpec):
        return given
    target = inspect.unwrap(
        unwrap(function)[1], stop=lambda f: not getattr(f, "__globals__", {}).get("__name__", "").startswith("reflow.")
    )
    spec = inspect.getfullargspec(target)
    ours = (getattr(target, "__module__", None) or "").startswith("reflow.")
    return spec._replace(annotations={}) if ours else spec
