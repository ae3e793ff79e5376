"""The checks of `tf.compat.v1`: those of `tf.debugging`, with `data`, the tensors to show on failure."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

from reflow.api.control.printing import no_op
from reflow.api.debugging import asserts, types
from reflow.api.export import export, export_function
from reflow.ops.convert import convert_to_tensor

_ARGUMENTS = {
    "x": "A tensor or a value that can become one.",
    "y": "A tensor or a value that can become one.",
    "tensor": "A tensor.",
    "rank": "A scalar integer.",
    "ranks": "Integers.",
    "tf_type": "A dtype.",
    "rtol": "The tolerance relative to `y`; by default 10 times the precision of the dtype.",
    "atol": "The absolute tolerance; by default 10 times the precision of the dtype.",
    "data": "Tensors that a node of a graph that fails shows, in place of the arguments.",
    "summarize": "How many elements of each are shown.",
    "message": "What the error message begins with.",
    "name": "A name for the operation.",
}
_FAILED = "  InvalidArgumentError: The check fails."
_ERRORS = {
    **dict.fromkeys(
        ("rank", "rank_at_least", "rank_in"), "  ValueError: The check fails, and the rank is known.\n" + _FAILED
    ),
    **dict.fromkeys(("type", "integer"), "  TypeError: The check fails."),
}


def _export(function: Callable, kind: str, what: str, example: str) -> Callable:
    names = inspect.signature(function).parameters
    arguments = "\n".join(f"  {name}: {_ARGUMENTS[name]}" for name in names)
    errors = _ERRORS.get(kind, _FAILED)
    doc = (
        f"Fails unless {what}.\n\nArgs:\n{arguments}\n\nReturns:\n  In a graph the operation that checks, or "
        f"None.\n\nRaises:\n{errors}"
    )
    return export_function(
        function, f"compat.v1.debugging.assert_{kind}", f"compat.v1.assert_{kind}", doc=doc, example=example
    )


def _example(kind: str, good: str, bad: str) -> str:
    """A check that holds, and one that fails."""
    return f"""
        >>> tf.compat.v1.assert_{kind}({good})
        >>> try:
        ...     tf.compat.v1.assert_{kind}({bad}, message="look at x")
        ... except tf.errors.InvalidArgumentError as error:
        ...     print(error.message.strip()[:9])
        look at x
    """


def _comparison(kind: str, sign: str, holds: np.ufunc, good: str, bad: str) -> Callable:
    def function(x, y, data=None, summarize=None, message=None, name=None):
        return asserts.compare(kind, sign, holds, x, y, message, summarize, name, data)

    return _export(function, kind, f"x {sign} y, element by element", _example(kind, good, bad))


def _sign_check(kind: str, sign: str, good: str, bad: str) -> Callable:
    def function(x, data=None, summarize=None, message=None, name=None):
        return asserts.against_zero(kind, sign, x, message, summarize, name, data)

    return _export(function, kind, f"x {sign} 0, element by element", _example(kind, good, bad))


def _rank_check(kind: str, check: Callable, what: str, example: str) -> Callable:
    def function(x, rank, data=None, summarize=None, message=None, name=None):
        return check(x, rank, message, name, data, summarize)

    return _export(function, kind, what, example)


def _near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    return asserts.near(x, y, rtol, atol, message, summarize, name, data)


def _rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    return asserts.rank_in(x, ranks, message, name, data, summarize)


def _type(tensor, tf_type, message=None, name=None):
    types.assert_type(tensor, tf_type, message, name)
    return no_op("statically_determined_correct_type")


def _integer(x, message=None, name=None):
    types.assert_integer(x, message, name)
    return no_op("statically_determined_was_integer")


@export("compat.v1.debugging.assert_scalar", "compat.v1.assert_scalar")
def assert_scalar(tensor, name=None, message=None):
    """Fails unless a tensor has no axes.

    Args:
      tensor: A tensor or a value that can become one.
      name: A name for the operation.
      message: What the error message begins with.

    Returns:
      The tensor, where `tf.debugging.assert_scalar` returns None.

    Raises:
      ValueError: The tensor has axes.

    >>> tf.compat.v1.assert_scalar(tf.constant(1.0)).numpy().item()
    1.0
    >>> tf.compat.v1.assert_scalar(tf.constant([1.0]))
    Traceback (most recent call last):
        ...
    ValueError: Expected scalar shape, saw shape: (1,).
    """
    tensor = convert_to_tensor(tensor)
    asserts.assert_scalar(tensor, message, name)
    return tensor


assert_equal = _comparison("equal", "==", np.equal, "[1, 2], [1, 2]", "[1, 2], [1, 3]")
assert_none_equal = _comparison("none_equal", "!=", np.not_equal, "[1, 2], [3, 4]", "[1, 2], [3, 2]")
assert_less = _comparison("less", "<", np.less, "[1, 2], 3", "[1, 5], 3")
assert_less_equal = _comparison("less_equal", "<=", np.less_equal, "[1, 3], 3", "[1, 5], 3")
assert_greater = _comparison("greater", ">", np.greater, "[4, 5], 3", "[1, 5], 3")
assert_greater_equal = _comparison("greater_equal", ">=", np.greater_equal, "[3, 5], 3", "[1, 5], 3")
assert_positive = _sign_check("positive", ">", "[1, 2]", "[0, 2]")
assert_negative = _sign_check("negative", "<", "[-1, -2]", "[0, -2]")
assert_non_negative = _sign_check("non_negative", ">=", "[0, 2]", "[0, -2]")
assert_non_positive = _sign_check("non_positive", "<=", "[0, -2]", "[0, 2]")
assert_near = _export(
    _near, "near", "|x - y| <= atol + rtol * |y|, element by element",
    """
    >>> tf.compat.v1.assert_near([1.0, 2.0], [1.0, 2.001], atol=0.01)
    """,
)
assert_rank = _rank_check("rank", asserts.rank_is, "x has this many axes", example="""
    >>> tf.compat.v1.assert_rank([[1, 2]], 2)
    >>> try:
    ...     tf.compat.v1.assert_rank([1, 2], 2)
    ... except ValueError as error:
    ...     print(error)
    Tensor  must have rank 2.  Received rank 1, shape (2,)
""")
assert_rank_at_least = _rank_check("rank_at_least", asserts.rank_at_least, "x has at least this many axes", example="""
    >>> tf.compat.v1.assert_rank_at_least([[1, 2]], 1)
    >>> try:
    ...     tf.compat.v1.assert_rank_at_least(1, 1)
    ... except ValueError as error:
    ...     print(error)
    Tensor  must have rank at least 1.  Received rank 0, shape ()
""")
assert_rank_in = _export(_rank_in, "rank_in", "x has as many axes as one of `ranks` says", example="""
    >>> tf.compat.v1.assert_rank_in([[1, 2]], [1, 2])
    >>> try:
    ...     tf.compat.v1.assert_rank_in(1, [1, 2])
    ... except ValueError as error:
    ...     print(error)
    Tensor  must have rank in (1, 2).  Received rank 0, shape ()
""")
assert_type = _export(_type, "type", "a tensor has this dtype, which is found out at once, also in a graph", example="""
    >>> tf.compat.v1.assert_type(tf.constant([1.0]), tf.float32)
    >>> tf.compat.v1.assert_type(tf.constant([1]), tf.float32)
    Traceback (most recent call last):
        ...
    TypeError: tensor must be of type tf.float32; got tf.int32
""")
assert_integer = _export(
    _integer, "integer", "a tensor holds integers, which is found out at once, also in a graph", example="""
    >>> tf.compat.v1.assert_integer(tf.constant([1]))
    >>> tf.compat.v1.assert_integer(tf.constant([1.0]))
    Traceback (most recent call last):
        ...
    TypeError: Expected "x" to be integer type.  Found: tensor of dtype <dtype: 'float32'>
""")
