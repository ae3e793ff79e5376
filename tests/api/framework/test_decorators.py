"""Deprecation that speaks once, signatures behind wrappers."""

import functools
import logging

import pytest

import reflow as tf
from reflow.api.framework import decorators

internal = tf.__internal__


def test_each_key_is_told_once(caplog):
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for key in ("here", "here", None, None):
            decorators.tell(key, "%s is old", "f")
        with decorators.silence():
            decorators.tell("there", "never said")
    assert [record.getMessage() for record in caplog.records] == ["f is old"] * 3


def test_strict_mode_raises_where_it_would_warn(monkeypatch):
    monkeypatch.setattr(decorators, "_strict", [False])
    tf.experimental.enable_strict_mode()
    with pytest.raises(RuntimeError, match="raises an error in strict mode"):
        decorators.tell(None, "f is old")


def test_arguments_behind_a_wrapper():
    def target(a, *rest, b=2):
        return a

    wrapped = internal.decorator.make_decorator(target, lambda *args, **kwargs: target(*args, **kwargs))
    spec = internal.getfullargspec(wrapped)
    assert (spec.args, spec.varargs, spec.kwonlyargs) == (["a"], "rest", ["b"])


def test_wrappers_of_python_hide_what_they_wrap():
    def target(a, b=1):
        return a

    @functools.wraps(target)
    def wrapper(*args, **kwargs):
        return target(*args, **kwargs)

    assert internal.getfullargspec(wrapper)[:3] == ([], "args", "kwargs")
    assert internal.getfullargspec(tf.function(wrapper))[:3] == ([], "args", "kwargs")
    assert internal.getfullargspec(tf.function(target)).args == ["a", "b"]
