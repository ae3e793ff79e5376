"""`tensorflow.python.util.function_utils`: what is known about a Python function or an object that is called as one."""

import functools
import inspect

from reflow.api.framework.internal import unwrap


def _called(fn):
    """What runs when an object is called: its method `__call__`, else the object itself."""
    return fn.__call__ if inspect.ismethod(getattr(fn, "__call__", None)) else fn  # noqa: B004 - the bound method is wanted


def _checked(func):
    target = unwrap(func)[1]
    if not callable(target):
        raise ValueError(f"Argument `func` must be a callable. Received func={target} (of type {type(target)})")
    return target


def fn_args(fn) -> tuple[str, ...]:
    """The names of the arguments that a call may give by position or name, without those that are bound already."""
    if isinstance(fn, functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args) :] if name not in fn.keywords)
    fn = _called(fn)
    names = inspect.getfullargspec(fn).args
    return tuple(names[1:] if inspect.ismethod(unwrap(fn)[1]) else names)


def has_kwargs(fn) -> bool:
    """Whether a function takes further arguments by name."""
    if isinstance(fn, functools.partial):
        return has_kwargs(fn.func)
    if not callable(fn):
        raise TypeError(f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})")
    return inspect.getfullargspec(_called(fn)).varkw is not None


def get_func_name(func) -> str:
    """The name of a function; of a method with its class; the class of any other callable object."""
    func = _checked(func)
    if inspect.isfunction(func):
        return func.__name__
    if inspect.ismethod(func):
        return f"{type(func.__self__).__name__}.{func.__func__.__name__}"
    return str(type(func))


def get_func_code(func):
    """The code object that a call runs, or None where there is none in Python."""
    func = _checked(func)
    return getattr(func, "__code__", None) or getattr(func.__call__, "__code__", None)
