"""The checks of `tf.compat.v1`: those of `tf.debugging`, with `data`, the tensors that a node shows when it fails."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reflow.api.control.printing import no_op
from reflow.api.debugging import asserts
from reflow.api.export import export_function


def _export(function: Callable, kind: str, what: str) -> Callable:
    doc = f"""Fail unless {what}. A node of a graph that fails shows `data` if it is given."""
    return export_function(function, f"compat.v1.debugging.assert_{kind}", f"compat.v1.assert_{kind}", doc=doc)


def _comparison(kind: str, sign: str, holds: np.ufunc) -> Callable:
    def function(x, y, data=None, summarize=None, message=None, name=None):
        return asserts.compare(kind, sign, holds, x, y, message, summarize, name, data)

    return _export(function, kind, f"x {sign} y, element by element")


def _sign_check(kind: str, sign: str) -> Callable:
    def function(x, data=None, summarize=None, message=None, name=None):
        return asserts.against_zero(kind, sign, x, message, summarize, name, data)

    return _export(function, kind, f"x {sign} 0, element by element")


def _rank_check(kind: str, check: Callable, what: str) -> Callable:
    def function(x, rank, data=None, summarize=None, message=None, name=None):
        return check(x, rank, message, name, data, summarize)

    return _export(function, kind, what)


def _near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    return asserts.near(x, y, rtol, atol, message, summarize, name, data)


def _rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    return asserts.rank_in(x, ranks, message, name, data, summarize)


def _type(tensor, tf_type, message=None, name=None):
    asserts.assert_type(tensor, tf_type, message, name)
    return no_op("statically_determined_correct_type")


def _integer(x, message=None, name=None):
    asserts.assert_integer(x, message, name)
    return no_op("statically_determined_was_integer")


assert_equal = _comparison("equal", "==", np.equal)
assert_none_equal = _comparison("none_equal", "!=", np.not_equal)
assert_less = _comparison("less", "<", np.less)
assert_less_equal = _comparison("less_equal", "<=", np.less_equal)
assert_greater = _comparison("greater", ">", np.greater)
assert_greater_equal = _comparison("greater_equal", ">=", np.greater_equal)
assert_positive = _sign_check("positive", ">")
assert_negative = _sign_check("negative", "<")
assert_non_negative = _sign_check("non_negative", ">=")
assert_non_positive = _sign_check("non_positive", "<=")
assert_near = _export(_near, "near", "|x - y| <= atol + rtol * |y|, element by element")
assert_rank = _rank_check("rank", asserts.rank_is, "x has this many axes")
assert_rank_at_least = _rank_check("rank_at_least", asserts.rank_at_least, "x has at least this many axes")
assert_rank_in = _export(_rank_in, "rank_in", "x has as many axes as one of `ranks` says")
assert_type = _export(_type, "type", "a tensor has this dtype, which is known while a graph is built: the node in a graph does nothing")
assert_integer = _export(_integer, "integer", "a tensor holds integers, which is known while a graph is built: the node in a graph does nothing")
