"""AutoGraph: converts Python control flow on tensors to graph control flow when a function is traced.

`diastatic-malt` rewrites a function's source so that each `if`, `for`, `while`, `and`, call, ... becomes a call of an
*operator* (`statements.py`, `builtin_functions.py`); the operators inspect the values and either do what Python does or
build graph nodes. `conversion.py` does the rewriting and caches the results; it is imported when the first function is
traced.

This file holds what is cheap to import: whether conversion is on (per thread), `do_not_convert`, and the hook that
`reflow/function/tracing.py` calls for each traced function.
"""

from __future__ import annotations

import enum
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

from reflow.core.scope import Swapped
from reflow.function import tracing

UNSPECIFIED = object()


class Feature(enum.Enum):
    """Optional parts of AutoGraph, for `tf.function(experimental_autograph_options=...)` and `tf.autograph.to_graph`.

    Attributes:
      ALL: All of the others.
      AUTO_CONTROL_DEPS: In a plain graph, the result of a function waits for its effects, as in a `tf.function`.
      ASSERT_STATEMENTS: Has no effect: `assert` on tensors is always converted.
      BUILTIN_FUNCTIONS: `print` of tensors prints when the function runs.
      EQUALITY_OPERATORS: `==` and `!=` on tensors are converted.
      LISTS: `l.append(x)`, `l.pop()`, `l[i]` and `l[i] = x` also work on lists that live in the graph.
      NAME_SCOPES: The ops of a function get a name scope with its name.

    >>> feature = tf.autograph.experimental.Feature.EQUALITY_OPERATORS
    >>> equal = tf.function(lambda x, y: x == y, experimental_autograph_options=feature)
    >>> equal(tf.constant([1, 2]), tf.constant([1, 3])).numpy().tolist()
    [True, False]
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple:
        """Returns all features.

        Returns:
          A tuple of features.

        >>> Feature.LISTS in Feature.all()
        True
        """
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(cls, exclude: Any) -> tuple:
        """Returns all features except some.

        Args:
          exclude: A feature, or a list, tuple or set of them.

        Returns:
          A tuple of features, in any order; `ALL` is not among them.
        """
        exclude = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(set(cls.all()) - set(exclude) - {cls.ALL})


class Status(enum.Enum):
    """Whether calls made from here are converted."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx(Swapped):
    """A `with` block in which conversion is on or off."""

    def __init__(self, status: Status, options: Any = None) -> None:
        super().__init__(None, lambda: {"control": self}, "control")
        self.status, self.options = status, options

    def _prepare(self) -> Any:
        self._target = _current
        return super()._prepare()

    def __repr__(self) -> str:
        return f"ControlStatusCtx[status={self.status}, options={self.options}]"


class _Current(threading.local):
    def __init__(self) -> None:
        self.control = ControlStatusCtx(Status.UNSPECIFIED)


_current = _Current()


def control_status_ctx() -> ControlStatusCtx:
    """The innermost `ControlStatusCtx` of this thread.

    >>> control_status_ctx().status.name
    'UNSPECIFIED'
    """
    return _current.control


def is_disabled() -> bool:
    return _current.control.status is Status.DISABLED


def autograph_artifact(entity: Any, extras: Any = None) -> Any:
    """Mark a callable as one that is called as it is: converted already, or never to be converted."""
    marked: Any = entity.__func__ if inspect.ismethod(entity) else entity
    marked.autograph_info__ = extras
    return entity


def do_not_convert(func: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Keeps AutoGraph away from a function and from what it calls: Python control flow in it happens while it is
    traced.

    Args:
      func: A callable; without it the decorator itself is returned.

    Returns:
      A function that calls `func` with conversion turned off, or a decorator.

    >>> do_not_convert(lambda x: x + 1)(1)
    2
    """
    if func is None:
        return do_not_convert

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with ControlStatusCtx(Status.DISABLED):
            return func(*args, **kwargs)

    if inspect.isfunction(func) or inspect.ismethod(func):
        functools.update_wrapper(wrapper, func)
    return autograph_artifact(wrapper)


def set_loop_options(
    parallel_iterations: Any = UNSPECIFIED, swap_memory: Any = UNSPECIFIED, maximum_iterations: Any = UNSPECIFIED,
    shape_invariants: Any = UNSPECIFIED,
) -> None:
    """Sets options of the enclosing loop; it must be the first statement in its body.

    The converter reads the call from the source, so the function itself does nothing.

    Args:
      parallel_iterations: A positive integer that the graph's loop keeps; it does not change the result.
      swap_memory: Has no effect.
      maximum_iterations: The greatest number of iterations.
      shape_invariants: A list of pairs of a tensor and a shape that fits it in all iterations.

    Returns:
      None.

    >>> @tf.function
    ... def f():
    ...     n = 0
    ...     for i in tf.range(10):
    ...         tf.autograph.experimental.set_loop_options(maximum_iterations=3)
    ...         n += 1
    ...     return n
    >>> f().numpy().item()
    3
    """


def convert_for_autograph(function: Callable[..., Any], optional_features: Any = None) -> Callable[..., Any]:
    """The converted form of a function that is about to be traced: the hook in `reflow.function.tracing`."""
    if hasattr(function, "autograph_info__"):
        return function
    method = getattr(function, "__reflow_method__", None)

    def converted(*args: Any, **kwargs: Any) -> Any:
        from reflow.api.autograph import conversion

        options = conversion.options(optional_features, user_requested=True)
        target = function
        if method is not None:
            target, instance = method[0], method[1]()
            args = (instance, *args)
        try:
            # a function inside a `do_not_convert` one is still converted
            with ControlStatusCtx(Status.ENABLED, optional_features):
                return conversion.converted_call(target, args, kwargs, options=options)
        except Exception as error:
            from reflow.api.autograph.errors import show_user_code

            shown = show_user_code(error)
            if shown is error:
                raise
            raise shown from error.__cause__

    return autograph_artifact(converted)


def tf_convert(
    f: Any, ctx: ControlStatusCtx, convert_by_default: bool = True, user_requested: bool = False
) -> Callable[..., Any]:
    """`f` as a function inside TensorFlow should call it: converted if `ctx` says that the user's code is."""
    if hasattr(f, "autograph_info__"):
        return f
    if ctx.status is Status.DISABLED:
        return do_not_convert(f)
    if ctx.status is Status.UNSPECIFIED and not convert_by_default:
        return f
    return convert_for_autograph(f, ctx.options)


tracing.install_autograph(convert_for_autograph)
