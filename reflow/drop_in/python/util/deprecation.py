"""`tensorflow.python.util.deprecation`: decorators that say that a function, an argument or a name is going away.

Each writes a notice into the docstring and warns when the thing is used, once in the life of a process unless
`warn_once` is False.
"""

import collections
import functools
import inspect
import re
import sys
import types

from reflow.api.framework import decorators
from reflow.api.framework.decorators import silence as silence
from reflow.api.framework.internal import make_decorator, unwrap
from reflow.drop_in.python.util import decorator_utils
from reflow.drop_in.python.util.decorator_utils import get_qualified_name

DeprecatedArgSpec = collections.namedtuple("DeprecatedArgSpec", ["position", "has_ok_value", "ok_value"])
#: what has been said already
_PRINTED_WARNING = decorators.told


class DeprecatedNamesAlreadySetError(Exception):
    """A symbol has its deprecated names already."""


def _validate(date, instructions):
    if date is not None and not re.fullmatch(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions! Specify the `instructions` argument.")


def _when(date):
    return "in a future version" if date is None else f"after {date}"


def _tell(key, warn_once, message, *args):
    """Warn of a call two frames above."""
    caller = sys._getframe(2)
    decorators.tell(key if warn_once else None, message, f"{caller.f_code.co_filename}:{caller.f_lineno}", *args)


def _noted(doc, date, instructions, what, empty, suffix):
    """A docstring with the notice that something is deprecated."""
    notice = [f"{what} will be removed {_when(date)}.", "Instructions for updating:"]
    return decorator_utils.add_notice_to_docstring(doc, instructions, empty, suffix, notice, notice_type="Deprecated")


def deprecated(date, instructions, warn_once=True):
    """Mark a function or class as deprecated.

    Args:
        date: the day on which it is removed, as "2030-01-31", or None.
        instructions: what to use in its place.
    """
    _validate(date, instructions)

    def decorate(func):
        decorator_utils.validate_callable(func, "deprecated")
        doc = _noted(
            func.__doc__, date, instructions, "THIS FUNCTION IS DEPRECATED. It", "DEPRECATED FUNCTION", "(deprecated)"
        )
        if isinstance(func, type):
            name = "__new__" if func.__new__ is not object.__new__ else "__init__"
            setattr(func, name, decorate(getattr(func, name)))
            func.__doc__ = doc
            return func

        @functools.wraps(func)
        def call(*args, **kwargs):
            _tell(
                func, warn_once,
                "From %s: %s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s",
                get_qualified_name(func), getattr(func, "__module__", None), _when(date), instructions,
            )  # fmt: skip
            return func(*args, **kwargs)

        return make_decorator(func, call, "deprecated", doc)

    return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """Mark arguments as deprecated. A name may come with the value at which nothing is said: `("axis", None)`."""
    _validate(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    warn_once = kwargs.pop("warn_once", True)
    if kwargs:
        raise ValueError(f"Illegal argument passed to deprecated_args: {kwargs}")
    quiet: dict = dict(
        name if isinstance(name, tuple) else (name, inspect.Parameter.empty) for name in deprecated_arg_names_or_tuples
    )

    def decorate(func):
        decorator_utils.validate_callable(func, "deprecated_args")
        spec = inspect.getfullargspec(unwrap(func)[1])
        known = [*spec.args, *spec.kwonlyargs, spec.varargs, spec.varkw]
        unknown = [name for name in quiet if name not in known]
        if unknown:
            raise ValueError(
                f"The following deprecated arguments are not present in the function signature: {unknown}. Expected "
                f"arguments from the following list: {known}."
            )
        signature = inspect.signature(func)

        @functools.wraps(func)
        def call(*args, **kwargs):
            given = signature.bind_partial(*args, **kwargs).arguments
            for name in quiet:
                if name in given and not (given[name] is quiet[name] or given[name] == quiet[name]):
                    _tell(
                        (func, name), warn_once,
                        "From %s: calling %s (from %s) with %s is deprecated and will be removed %s.\n"
                        "Instructions for updating:\n%s",
                        get_qualified_name(func), func.__module__, name, _when(date), instructions,
                    )  # fmt: skip
            return func(*args, **kwargs)

        what = f"SOME ARGUMENTS ARE DEPRECATED: `({', '.join(sorted(quiet))})`. They"
        doc = _noted(func.__doc__, date, instructions, what, "DEPRECATED FUNCTION ARGUMENTS", "(deprecated arguments)")
        return make_decorator(func, call, "deprecated", doc)

    return decorate


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Mark values of arguments as deprecated."""
    _validate(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def decorate(func):
        decorator_utils.validate_callable(func, "deprecated_arg_values")

        @functools.wraps(func)
        def call(*args, **kwargs):
            given = inspect.getcallargs(func, *args, **kwargs) | kwargs
            for name, value in deprecated_kwargs.items():
                if name in given and given[name] == value:
                    _tell(
                        (func, name), warn_once,
                        "From %s: calling %s (from %s) with %s=%s is deprecated and will be removed %s.\n"
                        "Instructions for updating:\n%s",
                        get_qualified_name(func), func.__module__, name, value, _when(date), instructions,
                    )  # fmt: skip
            return func(*args, **kwargs)

        values = ", ".join(f"{name}={value!r}" for name, value in sorted(deprecated_kwargs.items()))
        what = f"SOME ARGUMENT VALUES ARE DEPRECATED: `({values})`. They"
        doc = _noted(
            func.__doc__, date, instructions, what, "DEPRECATED FUNCTION ARGUMENT VALUES",
            "(deprecated argument values)",
        )
        return make_decorator(func, call, "deprecated", doc)

    return decorate


def deprecated_endpoints(*args):
    """Note the public names under which a function or class is deprecated."""

    def decorate(func):
        if "_tf_deprecated_api_names" in func.__dict__:
            raise DeprecatedNamesAlreadySetError(
                f"Cannot set deprecated names for {func.__name__} to {args}. Deprecated names are already set to "
                f"{func._tf_deprecated_api_names}."
            )
        func._tf_deprecated_api_names = args
        return func

    return decorate


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """A function or class under its old name, which says so when it is used."""
    message = "From %s: The name %s is deprecated. Please use %s instead.\n"
    if inspect.isclass(func_or_class):
        return _alias_of_class(deprecated_name, name, func_or_class, warn_once, message)

    @functools.wraps(func_or_class)
    def call(*args, **kwargs):
        _tell(func_or_class, warn_once, message, deprecated_name, name)
        return func_or_class(*args, **kwargs)

    what, instructions = "THIS FUNCTION IS DEPRECATED. It", f"Please use {name} instead."
    doc = _noted(func_or_class.__doc__, None, instructions, what, "DEPRECATED FUNCTION", "(deprecated)")
    return make_decorator(func_or_class, call, "deprecated", doc)


def _alias_of_class(deprecated_name, name, cls, warn_once, message):
    make = cls.__init__

    @functools.wraps(make)
    def __init__(self, *args, **kwargs):
        _tell(cls, warn_once, message, deprecated_name, name)
        make(self, *args, **kwargs)

    notice = ["THIS CLASS IS DEPRECATED. It will be removed in a future version. "]
    doc = decorator_utils.add_notice_to_docstring(
        cls.__doc__, f"Please use {name} instead.", "DEPRECATED CLASS", "(deprecated)", notice, notice_type="Deprecated"
    )
    own = {"__doc__": doc, "__module__": cls.__module__, "__init__": make_decorator(make, __init__, "deprecated")}
    return types.new_class(cls.__name__, (cls,), exec_body=lambda space: space.update(own))


def deprecate_moved_module(deprecated_name, new_module, deletion_version):
    """A `__getattr__` for a module that has another name now.

    It warns, and looks the attribute up in the other module.
    """

    def getter(name):
        message = (
            "Please fix your imports. Module %s has been moved to %s. The old module will be deleted in version %s."
        )
        decorators.tell(getter, message, deprecated_name, new_module.__name__, deletion_version)
        return getattr(new_module, name)

    return getter


class HiddenTfApiAttribute(property):
    """An attribute that cannot be read: the message says what to use."""

    def __init__(self, deprecation_message):
        def refuse(_):
            raise AttributeError(deprecation_message)

        super().__init__(refuse)


def hide_attribute_from_api(deprecation_message):
    """An attribute for the body of a class that hides the attribute which the class would inherit."""
    return HiddenTfApiAttribute(deprecation_message)


HIDDEN_ATTRIBUTE = HiddenTfApiAttribute("This attribute has been deprecated.")


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """The value of an argument that has an old name too; ValueError if both are given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def rewrite_argument_docstring(old_doc, old_argument, new_argument):
    """A docstring in which an argument has its new name."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(f"{old_argument}:", f"{new_argument}:")
