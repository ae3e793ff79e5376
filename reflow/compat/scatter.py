"""`tf.compat.v1.scatter_add` and its relatives: a variable's methods as functions, with `use_locking`.

Writes are never torn here, with or without `use_locking`.
"""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.export import export_function
from reflow.core.indexed_slices import IndexedSlices
from reflow.ops.convert import convert_to_tensor


def _rows(kind: str, what: str, locks: bool = False, *, example: str) -> Callable:
    """A function on rows of a variable."""

    def function(ref, indices, updates, use_locking=locks, name=None):
        slices = IndexedSlices(convert_to_tensor(updates, ref.dtype.base_dtype), convert_to_tensor(indices))
        return getattr(ref, f"scatter_{kind}")(slices, use_locking=use_locking, name=name)

    doc = f"{what} the rows of a variable that `indices` names; the result is the variable."
    return export_function(function, f"compat.v1.scatter_{kind}", doc=doc, example=example)


def _places(kind: str, what: str, locks: bool = False, *, example: str) -> Callable:
    """A function on places of a variable."""

    def function(ref, indices, updates, use_locking=locks, name=None):
        return getattr(ref, f"scatter_nd_{kind}")(indices, updates, name=name)

    doc = f"{what} the places of a variable that `indices` names; the result is the variable."
    return export_function(function, f"compat.v1.scatter_nd_{kind}", doc=doc, example=example)


scatter_update = _rows("update", "Replace", locks=True, example="""
    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_update(v, [0, 2], [10, 30]).numpy().tolist()
    [10, 2, 30]
""")
scatter_add = _rows("add", "Add to", example="""
    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_add(v, [0, 2], [10, 30]).numpy().tolist()
    [11, 2, 33]
""")
scatter_sub = _rows("sub", "Subtract from", example="""
    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_sub(v, [0, 2], [10, 30]).numpy().tolist()
    [-9, 2, -27]
""")
scatter_mul = _rows("mul", "Multiply", example="""
    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_mul(v, [0, 2], [10, 30]).numpy().tolist()
    [10, 2, 90]
""")
scatter_div = _rows("div", "Divide", example="""
    >>> v = tf.Variable([1.0, 2.0, 3.0])
    >>> tf.compat.v1.scatter_div(v, [0, 2], [2.0, 6.0]).numpy().tolist()
    [0.5, 2.0, 0.5]
""")
scatter_min = _rows("min", "Keep the smaller of `updates` and", example="""
    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_min(v, [0, 2], [2, 2]).numpy().tolist()
    [1, 2, 2]
""")
scatter_max = _rows("max", "Keep the larger of `updates` and", example="""
    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_max(v, [0, 2], [2, 2]).numpy().tolist()
    [2, 2, 3]
""")
scatter_nd_update = _places("update", "Replace", locks=True, example="""
    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.scatter_nd_update(v, [[0, 1], [1, 0]], [20, 30]).numpy().tolist()
    [[1, 20], [30, 4]]
""")
scatter_nd_add = _places("add", "Add to", example="""
    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.scatter_nd_add(v, [[0, 1], [1, 0]], [20, 30]).numpy().tolist()
    [[1, 22], [33, 4]]
""")
scatter_nd_sub = _places("sub", "Subtract from", example="""
    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.scatter_nd_sub(v, [[0, 1], [1, 0]], [20, 30]).numpy().tolist()
    [[1, -18], [-27, 4]]
""")
