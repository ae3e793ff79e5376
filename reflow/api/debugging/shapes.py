"""`tf.debugging.assert_shapes`: check several tensors against one set of named sizes.

Statically known facts are checked immediately; the rest becomes `Assert` nodes. Those for sizes wait for those for
ranks.
"""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.control.printing import assert_
from reflow.api.debugging.asserts import (
    _NO_SCOPE,
    _label,
    _prefix,
    _scoped,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
)
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.function.control_flow import cond
from reflow.ops.convert import convert_to_tensor


@export("debugging.assert_shapes")
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Fails unless tensors have given shapes, in which equal letters mean equal sizes.

    Args:
      shapes: Pairs of a tensor and its shape, or a dictionary. A shape has a number, a letter, or None or `"."` for any
        size, for each axis; `...` or `"*"` in front stands for any number of axes. A shape of None is not checked.
      data: Tensors and texts for the error, in a graph, in place of the usual ones.
      summarize: How many elements the error shows; 3 by default.
      message: What the error says first.
      name: A name for the operation.

    Returns:
      None.

    Raises:
      ValueError: A known shape is another, or is not written like this.
      InvalidArgumentError: A shape that is known only when the graph runs is another.

    >>> assert_shapes([(tf.zeros([2, 3]), ("N", 3)), (tf.zeros([2]), ("N",))])
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    with _scoped(name or "assert_shapes"):
        sizes: dict = {}
        checked, ranks = [], []
        for x, spec in pairs:
            if spec is None:
                continue
            x = x if isinstance(x, (SparseTensor, RaggedTensor)) else convert_to_tensor(x)
            symbols = _symbols(x, spec, message)
            free = bool(symbols) and symbols[0] in (Ellipsis, "*")
            symbols = symbols[1:] if free else symbols
            ranks.append(_check_rank(x, len(symbols), free, message))
            checked.append((x, symbols, free))
        waits = [r for r in ranks if r is not None]
        # a size is checked once the rank is known
        with state.graph.control_dependencies(waits) if waits else _NO_SCOPE:
            for x, symbols, free in checked:
                for at, symbol in enumerate(symbols):
                    if symbol not in (None, "."):
                        _check_size(x, at - len(symbols) if free else at, symbol, sizes, message, data, summarize)


def _check_rank(x, count: int, free: bool, message):
    """Whether there are as many axes as symbols; a scalar counts as a vector of one element."""
    if count > 1:
        return (assert_rank_at_least if free else assert_rank)(x, count, message)
    return None if free else assert_rank_in(x, [0, 1], message)


def _symbols(x, spec, message) -> list:
    """The sizes of a shape as a list: ints, letters, None."""
    label = f"{_prefix(message)}Tensor {_name_of(x)}"
    if not hasattr(spec, "__iter__") and not hasattr(spec, "__getitem__"):
        raise ValueError(
            f"{label}.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` or "
            f"`__getitem__`.  Received specified shape: {spec}"
        )
    symbols = [int(s) if isinstance(s, str) and s.isdigit() else s for s in spec]
    for at, symbol in enumerate(symbols[1:], 1):
        if symbol in (Ellipsis, "*"):
            raise ValueError(
                f"{label} specified shape index {at}.  Symbol `...` or `*` for a variable number of unspecified "
                "dimensions is only allowed as the first entry"
            )
    return symbols


def _name_of(x) -> str:
    return _label(x) if isinstance(x, Tensor) else f"shape={x.shape} dtype={x.dtype.name}"


def _size_of(x, at: int):
    """The size of one axis, a number where it is known."""
    dims = x.shape._dims
    if dims is None:
        return cond(arithmetic.equal(arrange.rank(x), 0), lambda: 1, lambda: arrange.shape(x)[at])
    dims = dims or (1,)
    return arrange.shape(x)[at] if dims[at] is None else dims[at]


def _check_size(x, at: int, symbol, sizes: dict, message, data, summarize):
    size = _size_of(x, at)
    if isinstance(symbol, (int, np.integer)):
        wanted, origin = int(symbol), "Specified explicitly"
    elif symbol in sizes:
        wanted, source, where = sizes[symbol]
        origin = f"Specified by tensor {_name_of(source)} dimension {where}"
    else:
        sizes[symbol] = (size, x, at)
        return
    if isinstance(size, int) and isinstance(wanted, int):
        if size != wanted:
            raise ValueError(
                f"{_prefix(message)}{origin}.  Tensor {_name_of(x)} dimension {at} must have size {wanted}.  "
                f"Received size {size}, shape {x.shape}"
            )
        return
    there, expected = convert_to_tensor(size, dtypes.int32), convert_to_tensor(wanted, dtypes.int32)
    told = (
        data
        if data is not None
        else [
            _prefix(message),
            origin,
            f"Tensor {_name_of(x)} dimension",
            at,
            "must have size",
            expected,
            "Received shape: ",
            arrange.shape(x),
        ]
    )
    assert_(arithmetic.equal(there, expected), told, summarize)
