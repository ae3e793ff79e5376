"""Dispatchers (`tf.__internal__.dispatch`): objects with which a library overrides public functions for its own types.

An `OpDispatcher` is registered for one function, a `GlobalOpDispatcher` for all functions that compute tensors. Keras 2
has one of the second kind: a function called on a symbolic value of its functional models becomes a layer. Most
programs have none and pay nothing: the functions get a body that consults dispatchers (`api/dispatching.py`) when the
first one is registered.

The outermost function of the user's call is dispatched first. TensorFlow dispatches the innermost function that fails,
so a composed function becomes several layers there, and one layer here.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.dispatching import _PLAIN, NOT_MINE, Api, api_of, support, teach_all
from reflow.api.export import export
from reflow.api.framework.internal import make_decorator
from reflow.core.shapes import TensorShape
from reflow.core.tensor import TensorBase
from reflow.eager.variables import Variable

#: namespaces whose functions compute tensors from tensors; "" is the top level
SPACES = frozenset((
    "", "math", "nn", "linalg", "image", "signal", "strings", "bitwise", "sparse", "sets", "random", "ragged", "io",
    "audio", "dtypes", "quantization", "__operators__", "debugging", "experimental.numpy", "math.special",
    "random.experimental", "nn.experimental", "linalg.experimental", "layers", "losses", "manip", "spectral",
))
#: functions in them that compute no tensor from others
NOT_OPS = frozenset(
    ("as_dtype", "constant", "control_dependencies", "custom_gradient", "debugging.disable_check_numerics",
     "debugging.disable_traceback_filtering", "debugging.enable_check_numerics", "debugging.enable_traceback_filtering",
     "debugging.get_log_device_placement", "debugging.is_numeric_tensor", "debugging.is_traceback_filtering_enabled",
     "debugging.set_log_device_placement", "device", "dtypes.as_dtype", "executing_eagerly",
     "experimental.numpy.experimental_enable_numpy_behavior", "function", "get_logger", "get_static_value",
     "grad_pass_through", "group", "init_scope", "inside_function", "install_as_tensorflow", "is_symbolic_tensor",
     "is_tensor", "load_library", "load_op_library", "name_scope", "no_gradient", "no_op",
     "random.get_global_generator", "random.set_global_generator", "random.set_seed",
     "recompute_grad", "register_tensor_conversion_function", "type_spec_from_value", "variable_creator_scope")
)  # fmt: skip

_KNOWN = (TensorBase, Variable, TensorShape, np.generic, type, slice, types.FunctionType)


def _has_foreign(values: Any) -> bool:
    """Whether a value, or one in lists, tuples and dictionaries among the values, may be a library's."""
    for value in values:
        kind = type(value)
        if kind in _PLAIN:
            continue
        if issubclass(kind, (list, tuple, dict)):
            if _has_foreign(value.values() if issubclass(kind, dict) else value):
                return True
        elif not isinstance(value, _KNOWN):
            return True
    return False


@export("__internal__.dispatch.OpDispatcher")
class OpDispatcher:
    """Overrides one function for its own argument types.

    `handle` returns the result of the call, or `NOT_SUPPORTED`.
    """

    NOT_SUPPORTED = NOT_MINE

    def handle(self, args: tuple, kwargs: dict) -> Any:
        """What a call returns, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Ask this dispatcher from now on when `op` is called, a public function or one with `add_dispatch_support`."""
        function = getattr(op, "__func__", op)  # of a class method
        own = getattr(function, _DISPATCHERS, None)
        if own is not None:
            own.append(self.handle)
            return
        try:
            targets = api_of(function).targets
        except ValueError:
            raise AssertionError(f"Dispatching not enabled for {op}") from None
        targets.insert(0, self.handle)  # before those for all functions


@export("__internal__.dispatch.GlobalOpDispatcher")
class GlobalOpDispatcher:
    """Overrides all functions for its own argument types: `handle` returns the result of a call, or `NOT_SUPPORTED`."""

    NOT_SUPPORTED = NOT_MINE

    def handle(self, op: Any, args: tuple, kwargs: dict) -> Any:
        """What a call of `op` returns, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Ask this dispatcher from now on."""
        if not _global:
            teach_all(_computes, _ask_api)
        _global.append(self)


_global: list[GlobalOpDispatcher] = []


def ask_fallbacks(op: Callable, args: tuple, kwargs: dict) -> Any:
    """What a dispatcher returns for a call of `op`, one for `op` alone or one for all functions, or `NOT_MINE`."""
    for handler in getattr(op, _DISPATCHERS, ()):
        result = handler(args, kwargs)
        if result is not NOT_MINE:
            return result
    return _ask(op, args, kwargs)


def _computes(name: str) -> bool:
    return name.rpartition(".")[0] in SPACES and name not in NOT_OPS


def _ask_api(api: Api, args: tuple, kwargs: dict) -> Any:
    return _ask(api.function, args, kwargs)


def _ask(op: Callable, args: tuple, kwargs: dict) -> Any:
    """What a global dispatcher returns that wants the call, or `NOT_MINE`."""
    if _global and (_has_foreign(args) or _has_foreign(kwargs.values())):
        for dispatcher in _global:
            result = dispatcher.handle(op, args, kwargs)
            if result is not NOT_MINE:
                return result
    return NOT_MINE


#: the attribute of a function with `add_dispatch_support`: the handlers registered for it
_DISPATCHERS = "_tf_fallback_dispatchers"


@export("__internal__.dispatch.add_dispatch_support")
def add_dispatch_support(target: Callable | None = None, iterable_parameters: Any = None) -> Callable:
    """A decorator: dispatchers are consulted if the function fails on its arguments.

    >>> @tf.__internal__.dispatch.add_dispatch_support
    ... def length(x):
    ...     return len(x)
    >>> class Anything(tf.__internal__.dispatch.OpDispatcher):
    ...     def handle(self, args, kwargs):
    ...         return 0
    >>> Anything().register(length)
    >>> length("abc"), length(3)
    (3, 0)

    Args:
      target: the function; without it, a decorator is returned.
      iterable_parameters: names of parameters that take an iterator, whose values are then kept for a second look.

    Raises:
      TypeError: `iterable_parameters` is no list of names.
    """
    listed = isinstance(iterable_parameters, (list, tuple)) and all(isinstance(p, str) for p in iterable_parameters)
    if iterable_parameters is not None and not listed:
        raise TypeError("iterable_parameters should be a list or tuple of string.")
    if target is None:
        return functools.partial(add_dispatch_support, iterable_parameters=iterable_parameters)
    function, iterators = target, frozenset(iterable_parameters or ())
    names = list(inspect.signature(function).parameters) if iterators else []
    handlers: list[Callable[[tuple, dict], Any]] = []

    def original(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError):
            result = ask_fallbacks(call, args, kwargs)
            if result is not NOT_MINE:
                return result
            raise

    def call(*args: Any, **kwargs: Any) -> Any:
        if iterators:
            args = tuple(_kept(value) if name in iterators else value for name, value in zip(names, args, strict=False))
            kwargs = {name: _kept(value) if name in iterators else value for name, value in kwargs.items()}
        return api.call(args, kwargs)

    make_decorator(function, call, "add_dispatch_support")
    setattr(call, _DISPATCHERS, handlers)
    api = support(call, original)
    return call


def _kept(value: Any) -> Any:
    return list(value) if hasattr(value, "__next__") else value


class _TypeDispatcher(OpDispatcher):
    """Hands calls to another function where an argument, or an element of a list or tuple, is of certain types."""

    def __init__(self, function: Callable, types: tuple[type, ...]) -> None:
        self._function, self._types = function, types

    def _takes(self, value: Any) -> bool:
        return isinstance(value, self._types) or (isinstance(value, (list, tuple)) and any(map(self._takes, value)))

    def handle(self, args: tuple, kwargs: dict) -> Any:
        takes = self._takes(args) or self._takes(list(kwargs.values()))
        return self._function(*args, **kwargs) if takes else self.NOT_SUPPORTED


def get_compatible_func(op: Callable, func: Callable) -> Callable:
    """Adapt a function that may lack parameters with defaults to the signature of `op`. It rejects other values for
    those.

    Raises:
      AssertionError: the two have other parameters without defaults.
    """
    wanted, own = inspect.signature(op), inspect.signature(func)
    if list(wanted.parameters) == list(own.parameters):
        return func
    required = [[p.name for p in s.parameters.values() if p.default is p.empty] for s in (own, wanted)]
    if required[0] != required[1]:
        raise AssertionError(
            "The decorated function's non-default arguments must be identical to that of the overridden op. "
            f"func has {required[0]}. op has {required[1]}."
        )

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = wanted.bind(*args, **kwargs)
        for name in [name for name in bound.arguments if name not in own.parameters]:
            if bound.arguments.pop(name) is not wanted.parameters[name].default:
                raise AssertionError(
                    f"Dispatched op is called with argument `{name}` set to a non-default value, which is not "
                    "supported by the decorated function"
                )
        return func(*bound.args, **bound.kwargs)

    return call


@export("__internal__.dispatch.dispatch_for_types")
def dispatch_for_types(op: Any, *types: type) -> Callable:
    """A decorator: the function replaces `op` if an argument has one of the types.

    Raises:
      AssertionError: the function has other parameters without defaults than `op`.
    """

    def decorate(function: Callable) -> Callable:
        _TypeDispatcher(get_compatible_func(op, function), types).register(op)
        return function

    return decorate
