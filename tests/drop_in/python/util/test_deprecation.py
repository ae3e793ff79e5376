"""Old names say what to use."""

import pytest

from reflow.api.framework.decorators import get_logger
from reflow.drop_in.python.util import deprecation


def test_old_names_and_values(caplog, monkeypatch):
    monkeypatch.setattr(get_logger(), "propagate", True)
    old = deprecation.deprecated_alias("old_sum", "sum", lambda *xs: sum(xs))
    assert old(1, 2) == 3 and old(1, 1) == 2

    class Point:
        def __init__(self, x):
            self.x = x

    assert deprecation.deprecated_alias("Old", "Point", Point)(3).x == 3

    @deprecation.deprecated_arg_values("2030-01-01", "Use b.", mode="a")
    def f(mode):
        return mode

    assert f("a") == "a" and f("b") == "b"
    assert [record.message.splitlines()[0] for record in caplog.records] == [
        "old_sum is deprecated. Please use sum instead.",
        "Old is deprecated. Please use Point instead.",
        f"From {f.__module__}.{f.__qualname__}: the value mode='a' is deprecated and will be removed after 2030-01-01.",
    ]


def test_arguments_with_two_names():
    assert deprecation.deprecated_argument_lookup("axis", None, "dim", 1) == 1
    assert deprecation.rewrite_argument_docstring("dim: an axis, `dim`.", "dim", "axis") == "axis: an axis, `axis`."
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        deprecation.deprecated_argument_lookup("axis", 1, "dim", 1)
