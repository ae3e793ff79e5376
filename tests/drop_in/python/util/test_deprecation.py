"""Old names, functions and arguments say what to use. The texts are TensorFlow's."""

import math

import pytest

from reflow.api.framework import decorators
from reflow.core.logging import logger
from reflow.drop_in.python.util import deprecation

DATE = "2030-01-01"


@pytest.fixture
def said(monkeypatch):
    """What is logged, as TensorFlow's tests see it: the text and its arguments, without the place of the call."""
    calls: list[tuple] = []
    monkeypatch.setattr(decorators, "told", {})
    monkeypatch.setattr(logger, "warning", lambda text, *args: calls.append((text, *args)))
    return calls


def example(a, b=1, *rest, **further):
    """A sum."""
    return a + b


def test_a_function_says_so_once(said):
    old = deprecation.deprecated(DATE, "Use sum().")(example)
    assert old(1) == 2 and old(1, 2) == 3
    ((text, place, *args),) = said
    assert text == "From %s: %s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s"
    assert place.startswith(__file__) and args == ["example", __name__, f"after {DATE}", "Use sum()."]
    assert old.__doc__ == (
        f"A sum. (deprecated)\n\nDeprecated: THIS FUNCTION IS DEPRECATED. It will be removed after {DATE}.\n"
        "Instructions for updating:\nUse sum()."
    )
    said.clear()
    often = deprecation.deprecated(None, "Use sum().", warn_once=False)(lambda: 1)
    assert often() == often() == 1 and [call[4] for call in said] == ["in a future version"] * 2


def test_silence_and_arguments_behind_the_decorator(said):
    old = deprecation.deprecated(DATE, "Use sum().")(example)
    with deprecation.silence():
        assert old(1) == 2
    assert said == [] and decorators.getfullargspec(old).args == ["a", "b"]


def test_a_class_says_so_when_it_makes_something(said):
    @deprecation.deprecated(DATE, "Use a tuple.")
    class Pair:
        def __init__(self, a):
            self.a = a

    assert Pair(1).a == 1 and said[0][2].endswith("Pair.__init__")
    assert Pair.__doc__.startswith("DEPRECATED FUNCTION\n\nDeprecated: THIS FUNCTION IS DEPRECATED.")


def test_arguments(said):
    old = deprecation.deprecated_args(DATE, "Leave them out.", "rest", "further", ("b", 5))(example)
    assert old(1) == 2 and old(1, 5) == 6 and said == []
    assert old(1, 6, 7, c=8) == 7
    assert (
        said[0][0]
        == "From %s: calling %s (from %s) with %s is deprecated and will be removed %s.\nInstructions for updating:\n%s"
    )
    assert [call[4] for call in said] == ["rest", "further", "b"]
    assert "SOME ARGUMENTS ARE DEPRECATED: `(b, further, rest)`. They will be removed" in old.__doc__
    with pytest.raises(
        ValueError, match=r"not present in the function signature: \['q'\]. Expected arguments from the following list"
    ):
        deprecation.deprecated_args(DATE, "Leave it out.", "q")(example)
    with pytest.raises(ValueError, match="Specify which argument is deprecated."):
        deprecation.deprecated_args(DATE, "Leave it out.")


def test_values_of_arguments(said):
    old = deprecation.deprecated_arg_values(DATE, "Use another.", b=2, mode="x")(example)
    assert old(1, 3, mode="y") == 4 and said == []
    assert old(1, 2, mode="x") == 3
    assert [call[4:6] for call in said] == [("b", 2), ("mode", "x")]
    assert "SOME ARGUMENT VALUES ARE DEPRECATED: `(b=2, mode='x')`." in old.__doc__


def test_old_names(said):
    old = deprecation.deprecated_alias("old_sum", "sum", lambda *xs: sum(xs))
    assert old(1, 2) == 3 and old(1, 1) == 2

    class Point:
        def __init__(self, x):
            self.x = x

    alias = deprecation.deprecated_alias("Old", "Point", Point)
    assert alias(3).x == 3 and issubclass(alias, Point) and Point(1).x == 1
    assert [call[2:] for call in said] == [("old_sum", "sum"), ("Old", "Point")]


def test_public_names_are_noted_once():
    noted = deprecation.deprecated_endpoints("a.b")(lambda: 1)
    assert noted._tf_deprecated_api_names == ("a.b",)
    with pytest.raises(deprecation.DeprecatedNamesAlreadySetError, match="Deprecated names are already set to"):
        deprecation.deprecated_endpoints("c.d")(noted)


def test_a_module_that_has_moved(said):
    getter = deprecation.deprecate_moved_module("old.math", math, "3.0")
    assert (
        getter("pi") == math.pi and getter("e") == math.e and said[0][1:] == ("old.math", "math", "3.0")
        and len(said) == 1
    )


def test_a_hidden_attribute():
    class Child:
        size = deprecation.hide_attribute_from_api("Use shape.")

    with pytest.raises(AttributeError, match="Use shape."):
        Child().size  # noqa: B018 - reading it raises


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: deprecation.deprecated("tomorrow", "Use x."), "Date must be in format YYYY-MM-DD. Received: tomorrow"),
        (lambda: deprecation.deprecated(DATE, ""), "Don't deprecate things without conversion instructions!"),
        (
            lambda: deprecation.deprecated(DATE, "Use x.")(property(len)),
            "make sure @property appears before @deprecated",
        ),
        (lambda: deprecation.deprecated_arg_values(DATE, "Use x."), "Specify which argument values are deprecated."),
    ],
)
def test_bad_descriptions(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_arguments_with_two_names():
    assert deprecation.deprecated_argument_lookup("axis", None, "dim", 1) == 1
    assert deprecation.rewrite_argument_docstring("dim: an axis, `dim`.", "dim", "axis") == "axis: an axis, `axis`."
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        deprecation.deprecated_argument_lookup("axis", 1, "dim", 1)
