"""`tf.compat.v1.scatter_add` and its relatives: a variable's methods as functions, with `use_locking`.

Writes are never torn here, with or without `use_locking`.
"""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.export import export_function
from reflow.core.indexed_slices import IndexedSlices
from reflow.ops.convert import convert_to_tensor


def _rows(kind: str, what: str, locks: bool = False) -> Callable:
    """A function on rows of a variable."""

    def function(ref, indices, updates, use_locking=locks, name=None):
        slices = IndexedSlices(convert_to_tensor(updates, ref.dtype.base_dtype), convert_to_tensor(indices))
        return getattr(ref, f"scatter_{kind}")(slices, use_locking=use_locking, name=name)

    return export_function(function, f"compat.v1.scatter_{kind}", doc=f"{what} the rows of a variable that `indices` names.")


def _places(kind: str, what: str, locks: bool = False) -> Callable:
    """A function on places of a variable."""

    def function(ref, indices, updates, use_locking=locks, name=None):
        return getattr(ref, f"scatter_nd_{kind}")(indices, updates, name=name)

    return export_function(function, f"compat.v1.scatter_nd_{kind}", doc=f"{what} the places of a variable that `indices` names.")


scatter_update = _rows("update", "Replace", locks=True)
scatter_add = _rows("add", "Add to")
scatter_sub = _rows("sub", "Subtract from")
scatter_mul = _rows("mul", "Multiply")
scatter_div = _rows("div", "Divide")
scatter_min = _rows("min", "Keep the smaller of `updates` and")
scatter_max = _rows("max", "Keep the larger of `updates` and")
scatter_nd_update = _places("update", "Replace", locks=True)
scatter_nd_add = _places("add", "Add to")
scatter_nd_sub = _places("sub", "Subtract from")
