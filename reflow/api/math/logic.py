"""`tf.math` and `tf.bitwise`: elementwise comparisons, logic, bits."""

from __future__ import annotations

from reflow.api.call import binary
from reflow.api.export import export
from reflow.api.math.unary import logical_not
from reflow.core.tensor import Tensor


@binary("Less", "less", "math.less")
def less(x, y, name=None) -> Tensor:
    """Computes `x < y`, elementwise.

    >>> tf.less([1, 3], 2).numpy().tolist()
    [True, False]
    """


@binary("LessEqual", "less_equal", "math.less_equal")
def less_equal(x, y, name=None) -> Tensor:
    """Computes `x <= y`, elementwise.

    >>> tf.less_equal([1, 2, 3], 2).numpy().tolist()
    [True, True, False]
    """


@binary("Greater", "greater", "math.greater")
def greater(x, y, name=None) -> Tensor:
    """Computes `x > y`, elementwise.

    >>> tf.greater([[1], [3]], [1, 2]).numpy().tolist()
    [[False, False], [True, True]]
    """


@binary("GreaterEqual", "greater_equal", "math.greater_equal")
def greater_equal(x, y, name=None) -> Tensor:
    """Computes `x >= y`, elementwise.

    >>> tf.greater_equal([1, 2, 3], [3, 2, 1]).numpy().tolist()
    [False, True, True]
    """


@binary("Equal", "equal", "math.equal")
def equal(x, y, name=None) -> Tensor:
    """Computes `x == y`, elementwise; shapes must broadcast.

    >>> tf.equal(["a", "b"], "b").numpy().tolist()
    [False, True]
    """


@binary("NotEqual", "not_equal", "math.not_equal")
def not_equal(x, y, name=None) -> Tensor:
    """Computes `x != y`, elementwise; shapes must broadcast.

    >>> tf.not_equal(float("nan"), float("nan")).numpy().item()
    True
    """


@binary("LogicalAnd", "logical_and", "math.logical_and")
def logical_and(x, y, name=None) -> Tensor:
    """Computes `x and y`, elementwise.

    >>> tf.logical_and([True, True], [True, False]).numpy().tolist()
    [True, False]
    """


@binary("LogicalOr", "logical_or", "math.logical_or")
def logical_or(x, y, name=None) -> Tensor:
    """Computes `x or y`, elementwise.

    >>> tf.logical_or([False, True], False).numpy().tolist()
    [False, True]
    """


@binary("BitwiseAnd", "bitwise.bitwise_and")
def bitwise_and(x, y, name=None) -> Tensor:
    """Sets the bits that are set in both.

    >>> tf.bitwise.bitwise_and([6], [3]).numpy().tolist()
    [2]
    """


@binary("BitwiseOr", "bitwise.bitwise_or")
def bitwise_or(x, y, name=None) -> Tensor:
    """Sets the bits that are set in either.

    >>> tf.bitwise.bitwise_or(6, 3).numpy().item()
    7
    """


@binary("BitwiseXor", "bitwise.bitwise_xor")
def bitwise_xor(x, y, name=None) -> Tensor:
    """Sets the bits that are set in exactly one of the two.

    >>> tf.bitwise.bitwise_xor([6, 7], 7).numpy().tolist()
    [1, 0]
    """


@binary("LeftShift", "bitwise.left_shift")
def left_shift(x, y, name=None) -> Tensor:
    """Shifts the bits of x to the left by y places.

    >>> tf.bitwise.left_shift(1, [0, 1, 2]).numpy().tolist()
    [1, 2, 4]
    """


@binary("RightShift", "bitwise.right_shift")
def right_shift(x, y, name=None) -> Tensor:
    """Shifts the bits of x to the right by y places; signed numbers keep their sign.

    >>> tf.bitwise.right_shift([-8, 8], 1).numpy().tolist()
    [-4, 4]
    """


@export("math.logical_xor")
def logical_xor(x, y, name="LogicalXor"):
    """Says where exactly one of the two is true.

    Args:
      x: A tensor of dtype bool.
      y: Another one; shapes broadcast.
      name: A name for the operation.

    Returns:
      A bool tensor of the shape that `x` and `y` broadcast to.

    >>> tf.math.logical_xor([True, True], [True, False]).numpy().tolist()
    [False, True]
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name)
