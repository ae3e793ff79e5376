"""`tensorflow.python.util.function_utils`: what is known about a Python function or an object that is called as one."""

import functools
import inspect

from reflow.api.framework.internal import unwrap


def _called(fn):
    """What runs when an object is called: its method `__call__`, else the object itself."""
    return fn.__call__ if _is_callable_object(fn) else fn


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
    return tuple(names[1:] if _is_bound_method(fn) else names)


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


def get_disabled_rewriter_config() -> bytes:
    """A serialized ConfigProto without graph optimizers."""
    from tensorboard.compat.proto import config_pb2

    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config.SerializeToString()


def _is_bound_method(fn) -> bool:
    """Whether a function, below its decorators, is a method of an object."""
    return inspect.ismethod(unwrap(fn)[1])


def _is_callable_object(obj) -> bool:
    """Whether an object is called by a method of its class."""
    return inspect.ismethod(getattr(obj, "__call__", None))  # noqa: B004 - the bound method is wanted
