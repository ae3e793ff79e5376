"""`tensorflow.python.util.dispatch`: lists of functions that can be taken over for other types,
beside the decorators that do it."""

import contextlib
import inspect

from reflow.api import dispatchers, dispatching
from reflow.api.dispatchers import _DISPATCHERS, _computes, ask_fallbacks
from reflow.api.dispatchers import dispatch_for_types as dispatch_for_types
from reflow.api.dispatchers import get_compatible_func as get_compatible_func
from reflow.api.export import TABLE
from reflow.api.type_checkers import register_dispatchable_type as register_dispatchable_type
from reflow.drop_in import facade
from reflow.drop_in.python.util.tf_export import get_canonical_name_for_symbol

FALLBACK_DISPATCH_ATTR = _DISPATCHERS
TYPE_BASED_DISPATCH_ATTR = "_tf_type_based_dispatcher"

#: the dispatchers that are asked about all functions
_GLOBAL_DISPATCHERS = dispatchers._global
#: function -> the signatures that were registered for it
_TYPE_BASED_DISPATCH_SIGNATURES = dispatching.SIGNATURES


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


class _Targets:
    """The functions that may take over one function."""

    def __init__(self, target):
        self.api = dispatching.support(target, target)

    def Dispatch(self, args, kwargs):
        """What the first returns that wants a call; NotImplemented if there is none."""
        results = (take(args, kwargs or {}) for take in self.api.targets)
        return next((result for result in results if result is not dispatching.NOT_MINE), NotImplemented)


def add_type_based_api_dispatcher(target):
    """Let `dispatch_for_api` register others for a function, which asks them itself: they are its attribute
    `_tf_type_based_dispatcher`. A function of any number of arguments stays as it is."""
    if hasattr(target, TYPE_BASED_DISPATCH_ATTR):
        raise ValueError(f"{target} already has a type-based API dispatcher.")
    kinds = {p.kind for p in inspect.signature(target).parameters.values()}
    if not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        setattr(target, TYPE_BASED_DISPATCH_ATTR, _Targets(target))
        _TYPE_BASED_DISPATCH_SIGNATURES.setdefault(target, [])
    return target


def make_type_checker(annotation):
    """What checks values against an annotation: a class, a list of what has one class, or one of several."""
    return dispatching._checker(type(None) if annotation is None else annotation)


def _update_docstring_with_api_list(target, api_list):
    """Put a list of functions in place of `<<API_LIST>>` in a docstring."""
    lines = []
    for function in api_list:
        name = get_canonical_name_for_symbol(function, add_prefix_to_v1_names=True)
        if name is not None:
            lines.append(f"  * `tf.{name}({', '.join(inspect.signature(function).parameters)})`")
    target.__doc__ = target.__doc__.replace("<<API_LIST>>", "\n".join(sorted(lines)))


def update_docstrings_with_api_lists():
    """Put the lists of functions into the docstrings of the decorators, where these have `<<API_LIST>>`."""
    for decorator, functions in (
        (dispatching.dispatch_for_unary_elementwise_apis, unary_elementwise_apis()),
        (dispatching.dispatch_for_binary_elementwise_apis, binary_elementwise_apis()),
        (dispatching.dispatch_for_api, apis_with_type_based_dispatch()),
    ):
        _update_docstring_with_api_list(decorator, functions)


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
