"""`tensorflow.python.util.tf_inspect`: Python's `inspect`, with forms that Python 3 has dropped."""

import collections
import functools
import inspect

from reflow.api.framework.decorators import getfullargspec as getfullargspec

ArgSpec = collections.namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])
FullArgSpec = inspect.FullArgSpec


def getargspec(obj) -> ArgSpec:
    """The parameters of a function, of a partial one, or of an object that is called.

    Those of keywords alone are left out.
    """
    if isinstance(obj, functools.partial):
        return ArgSpec(*inspect.getfullargspec(obj)[:4])
    called = obj if inspect.isroutine(obj) or inspect.isclass(obj) else type(obj).__call__
    return ArgSpec(*getfullargspec(called)[:4])


def getcallargs(*func_and_positional, **named) -> dict:
    """The arguments of a call by the names of the parameters, defaults among them."""
    function, *positional = func_and_positional
    bound = inspect.signature(function).bind(*positional, **named)
    bound.apply_defaults()
    return dict(bound.arguments)


def isanytargetmethod(obj) -> bool:
    """Whether an object, or what its decorators stand for, is a method."""
    while obj is not None:
        if inspect.ismethod(obj):
            return True
        obj = getattr(obj, "__wrapped__", None)
    return False
