"""`tensorflow.python.util.dispatch`: lists of functions that can be taken over for other types,
beside the decorators that do it."""

import contextlib

from reflow.api import dispatching
from reflow.api.dispatchers import _DISPATCHERS, _computes, ask_fallbacks
from reflow.api.dispatchers import dispatch_for_types as dispatch_for_types
from reflow.api.dispatchers import get_compatible_func as get_compatible_func
from reflow.api.export import TABLE
from reflow.api.type_checkers import register_dispatchable_type as register_dispatchable_type
from reflow.drop_in import facade

FALLBACK_DISPATCH_ATTR = _DISPATCHERS


def dispatch(op, args, kwargs):
    """What a dispatcher returns that wants a call, or `OpDispatcher.NOT_SUPPORTED`."""
    return ask_fallbacks(op, args, kwargs)


def add_fallback_dispatch_list(target):
    """Give a function the list of dispatchers that `dispatch` asks."""
    if hasattr(target, FALLBACK_DISPATCH_ATTR):
        raise AssertionError(f"{target} already has a dispatch list")
    setattr(target, FALLBACK_DISPATCH_ATTR, [])
    return target


add_dispatch_list = add_fallback_dispatch_list


def replace_iterable_params(args, kwargs, iterable_params):
    """(args, kwargs) of a call with lists in place of iterables.

    `iterable_params` are pairs of a parameter's name and its position.
    """
    args, kwargs = list(args), dict(kwargs)
    for name, position in iterable_params:
        if position < len(args):
            args[position] = list(args[position])
        elif name in kwargs:
            kwargs[name] = list(kwargs[name])
    return tuple(args), kwargs


def apis_with_type_based_dispatch():
    """The functions that `tf.experimental.dispatch_for_api` takes, by name."""
    found = [thing for name, thing in TABLE.items() if _computes(name.removeprefix("compat.v1."))]
    functions = {f for f in [*found, *dispatching._APIS] if hasattr(f, "__code__")}
    return sorted(functions, key=lambda f: (f.__module__, f.__name__))


def type_based_dispatch_signatures_for(cls):
    """{function: signatures} of all that was registered for a class."""

    def mentions(annotation):
        return annotation is cls or any(map(mentions, getattr(annotation, "__args__", ())))

    found = {
        api: [signature for signature in signatures if any(map(mentions, signature.values()))]
        for api, signatures in dispatching.SIGNATURES.items()
    }
    return {api: signatures for api, signatures in found.items() if signatures}


def _elementwise(kind, names):
    found = []
    for name in names.split():
        with contextlib.suppress(AttributeError):
            found.append(facade.resolve(name))
    return (*found, *dispatching._FURTHER.get(kind, ()))


def unary_elementwise_apis():
    """The functions that `dispatch_for_unary_elementwise_apis` takes over."""
    return _elementwise("unary elementwise", dispatching.UNARY)


def binary_elementwise_apis():
    """The functions that `dispatch_for_binary_elementwise_apis` takes over."""
    return _elementwise("binary elementwise", dispatching.BINARY)


def register_unary_elementwise_api(func):
    """Count a function with `add_dispatch_support` among the elementwise functions of one argument."""
    dispatching.further_elementwise("unary elementwise", func)
    return func


def register_binary_elementwise_api(func):
    """Count a function with `add_dispatch_support` among the elementwise functions of two arguments."""
    dispatching.further_elementwise("binary elementwise", func)
    return func


def register_binary_elementwise_assert_api(func):
    """Count a function with `add_dispatch_support` among the assertions about two arguments."""
    dispatching.further_elementwise("binary elementwise assert", func)
    return func
