"""`tensorflow.python.util.deprecation`: old names of functions and arguments, beyond `deprecated` and its relatives."""

import functools
import inspect
import types

from reflow.api.framework.decorators import _check, _tell, _when


def _warn(function, what, date, instructions, warn_once, key):
    place = f"{function.__module__}.{function.__qualname__}"
    text = f"From {place}: {what} is deprecated and will be removed {_when(date)}.\nInstructions for updating:\n{instructions}"
    _tell((place, key) if warn_once else (place, key, object()), text)


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """A function or class under its old name, which says so when it is first used."""
    text = f"{deprecated_name} is deprecated. Please use {name} instead."

    def tell():
        _tell((deprecated_name,) if warn_once else (deprecated_name, object()), text)

    if inspect.isclass(func_or_class):
        make = func_or_class.__init__

        @functools.wraps(make)
        def __init__(self, *args, **kwargs):
            tell()
            make(self, *args, **kwargs)

        own = {"__doc__": func_or_class.__doc__, "__module__": func_or_class.__module__, "__init__": __init__}
        return types.new_class(func_or_class.__name__, (func_or_class,), exec_body=lambda space: space.update(own))

    @functools.wraps(func_or_class)
    def alias(*args, **kwargs):
        tell()
        return func_or_class(*args, **kwargs)

    return alias


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Mark values of arguments as deprecated: a call that passes one logs what to do instead."""
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            given = signature.bind_partial(*args, **kwargs).arguments
            for name, value in deprecated_kwargs.items():
                if name in given and given[name] == value:
                    _warn(function, f"the value {name}={value!r}", date, instructions, warn_once, name)
            return function(*args, **kwargs)

        return call

    return decorate


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
