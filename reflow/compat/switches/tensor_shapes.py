"""Version 1's `TensorShape`: its sizes are `Dimension`s, `x.shape[0].value`, and an unknown one is printed as `?`.

Reflow's own modules and Keras read sizes as numbers in either version, so the result depends on the caller. The methods
are replaced when a program switches; until then there is no cost.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from reflow.api.export import export
from reflow.core.shapes import Dimension, TensorShape

_SIZES_AS_NUMBERS = ("reflow", "keras")  # the packages that do not want Dimensions
_modern = {
    name: getattr(TensorShape, name) for name in ("__getitem__", "__iter__", "__repr__", "__str__", "_v2_behavior")
}


def _asked_by_program() -> bool:
    """Whether the caller of a method is none of the packages that read numbers."""
    return sys._getframe(2).f_globals.get("__name__", "").partition(".")[0] not in _SIZES_AS_NUMBERS


def _getitem(self: TensorShape, key: int | slice) -> Any:
    found = _modern["__getitem__"](self, key)
    return Dimension(found) if not isinstance(key, slice) and _asked_by_program() else found


def _iter(self: TensorShape) -> Iterator[Any]:
    numbers = _modern["__iter__"](self)
    return map(Dimension, numbers) if _asked_by_program() else numbers


def _repr(self: TensorShape) -> str:
    return f"TensorShape({self.dims})"


def _str(self: TensorShape) -> str:
    return _modern["__str__"](self).replace("None", "?")


@export("compat.v1.disable_v2_tensorshape")
def disable_v2_tensorshape() -> None:
    """From now on the sizes in a program's shapes are `Dimension`s.

    >>> tf.compat.v1.disable_v2_tensorshape()
    >>> tf.TensorShape([2, None])[0]
    2
    >>> tf.compat.v1.enable_v2_tensorshape()      # back to the start
    """
    older = {"__getitem__": _getitem, "__iter__": _iter, "__repr__": _repr, "__str__": _str, "_v2_behavior": False}
    for name, member in older.items():
        setattr(TensorShape, name, member)


@export("compat.v1.enable_v2_tensorshape")
def enable_v2_tensorshape() -> None:
    """From now on the sizes in shapes are numbers or None, as at the start.

    >>> tf.compat.v1.enable_v2_tensorshape()
    >>> tf.TensorShape([2, None])[0]
    2
    """
    for name, member in _modern.items():
        setattr(TensorShape, name, member)
