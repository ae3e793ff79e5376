"""`tensorflow.python.framework.weak_tensor`: tensors whose dtype gives way to that of others."""

from __future__ import annotations

from reflow.api.numpy import weak_functions  # noqa: F401  # their operators
from reflow.api.numpy.weak import ALLOWED as _ALLOWED_WEAK_DTYPES  # noqa: F401
from reflow.api.numpy.weak import EagerWeakTensor as EagerWeakTensor
from reflow.api.numpy.weak import GraphWeakTensor as GraphWeakTensor
from reflow.api.numpy.weak import WeakTensor as WeakTensor
from reflow.api.numpy.weak import convert_to_weak_tensor_or_tensor as convert_to_weak_tensor_or_tensor
