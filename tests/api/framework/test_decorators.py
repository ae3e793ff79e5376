"""`tf.__internal__`'s decorators: deprecation that speaks once, signatures behind wrappers."""

import functools
import logging

import pytest

import reflow as tf
from reflow.api.framework import decorators

internal = tf.__internal__


def messages(caplog):
    return [record.getMessage() for record in caplog.records]


def test_a_deprecated_function_says_so_and_works(caplog):
    @internal.deprecation.deprecated("2030-01-01", "Use another.")
    def old(x):
        """Old."""
        return x + 1

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        assert old(1) == 2
    assert "deprecated" in " ".join(messages(caplog)) and old.__name__ == "old"


def test_silence(caplog):
    @internal.deprecation.deprecated(None, "Use another.")
    def old():
        return 1

    with caplog.at_level(logging.WARNING, logger="tensorflow"), internal.deprecation.silence():
        assert old() == 1
    assert messages(caplog) == []


def test_deprecated_arguments(caplog):
    @internal.deprecation.deprecated_args(None, "Leave it out.", "b")
    def f(a, b=None):
        return a

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        assert f(1) == 1
        assert messages(caplog) == []
        assert f(1, b=2) == 1
    assert len(messages(caplog)) == 1


def test_arguments_behind_a_wrapper():
    def target(a, *rest, b=2):
        return a

    wrapped = internal.decorator.make_decorator(target, lambda *args, **kwargs: target(*args, **kwargs))
    spec = internal.getfullargspec(wrapped)
    assert (spec.args, spec.varargs, spec.kwonlyargs) == (["a"], "rest", ["b"])


@pytest.mark.parametrize("bad", [{"date": "tomorrow", "instructions": "x"}, {"date": None, "instructions": ""}])
def test_bad_descriptions(bad):
    with pytest.raises(ValueError):
        internal.deprecation.deprecated(bad["date"], bad["instructions"])(lambda: None)


def test_strict_mode_raises_where_it_would_warn(monkeypatch):
    @internal.deprecation.deprecated("2030-01-01", "Use another.")
    def old():
        return 1

    monkeypatch.setattr(decorators, "_strict", [False])
    tf.experimental.enable_strict_mode()
    with pytest.raises(RuntimeError, match="raises an error in strict mode"):
        old()


def test_wrappers_of_python_hide_what_they_wrap():
    def target(a, b=1):
        return a

    @functools.wraps(target)
    def wrapper(*args, **kwargs):
        return target(*args, **kwargs)

    assert internal.getfullargspec(wrapper)[:3] == ([], "args", "kwargs")
    assert internal.getfullargspec(tf.function(wrapper))[:3] == ([], "args", "kwargs")
    assert internal.getfullargspec(tf.function(target)).args == ["a", "b"]
