"""`tensorflow.python.framework.flexible_dtypes`: the dtype in which arguments meet by the lattice of dtypes."""

from __future__ import annotations

from typing import Any

from reflow.api.numpy.types import lattice_kind
from reflow.core.dtypes import DType


def result_type(*arrays_and_dtypes: Any) -> tuple[DType, bool]:
    """(dtype, whether it is weak: that of Python's numbers alone)."""
    return tuple(lattice_kind(arrays_and_dtypes))
