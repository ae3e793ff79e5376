"""`tf.compat.v1.scatter_add` and related functions: a variable's methods as functions, with `use_locking`.

Writes are always atomic here, with or without `use_locking`.
"""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.export import export_function
from reflow.core.indexed_slices import IndexedSlices
from reflow.ops.convert import convert_to_tensor


def _doc(what: str, indices: str, updates: str) -> str:
    return f"""{what}

Args:
  ref: The variable.
  indices: {indices}
  updates: {updates}
  use_locking: Has no effect.
  name: A name for the operation.

Returns:
  The variable."""


def _rows(kind: str, what: str, shown: str, locks: bool = False) -> Callable:
    """A function on rows of a variable."""

    def function(ref, indices, updates, use_locking=locks, name=None):
        slices = IndexedSlices(convert_to_tensor(updates, ref.dtype.base_dtype), convert_to_tensor(indices))
        return getattr(ref, f"scatter_{kind}")(slices, use_locking=use_locking, name=name)

    example = (
        f">>> v = tf.Variable([1, 2, 3])\n>>> tf.compat.v1.scatter_{kind}(v, [0, 2], [10, "
        f"30]).numpy().tolist()\n{shown}"
    )
    doc = _doc(
        f"{what} the rows of a variable that `indices` names.", "The numbers of the rows.",
        "A row for each of them, or a scalar.",
    )
    return export_function(function, f"compat.v1.scatter_{kind}", doc=doc, example=example)


def _places(kind: str, what: str, shown: str, locks: bool = False) -> Callable:
    """A function on places of a variable."""

    def function(ref, indices, updates, use_locking=locks, name=None):
        return getattr(ref, f"scatter_nd_{kind}")(indices, updates, name=name)

    call = f"tf.compat.v1.scatter_nd_{kind}(v, [[0, 1], [1, 0]], [20, 30])"
    example = f">>> v = tf.Variable([[1, 2], [3, 4]])\n>>> {call}.numpy().tolist()\n{shown}"
    place = "Places, in the last axis: an index for each of the first axes of the variable."
    doc = _doc(f"{what} the places of a variable that `indices` names.", place, "A value for each place.")
    return export_function(function, f"compat.v1.scatter_nd_{kind}", doc=doc, example=example)


scatter_update = _rows("update", "Replaces", "[10, 2, 30]", locks=True)
scatter_add = _rows("add", "Adds to", "[11, 2, 33]")
scatter_sub = _rows("sub", "Subtracts from", "[-9, 2, -27]")
scatter_mul = _rows("mul", "Multiplies", "[10, 2, 90]")
scatter_div = _rows("div", "Divides", "[0, 2, 0]")
scatter_min = _rows("min", "Keeps the smaller of `updates` and", "[1, 2, 3]")
scatter_max = _rows("max", "Keeps the larger of `updates` and", "[10, 2, 30]")
scatter_nd_update = _places("update", "Replaces", "[[1, 20], [30, 4]]", locks=True)
scatter_nd_add = _places("add", "Adds to", "[[1, 22], [33, 4]]")
scatter_nd_sub = _places("sub", "Subtracts from", "[[1, -18], [-27, 4]]")
