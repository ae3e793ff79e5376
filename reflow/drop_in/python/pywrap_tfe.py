"""`tensorflow.python.pywrap_tfe`: facts about the runtime that libraries ask TensorFlow's C++ for."""

from __future__ import annotations

from collections.abc import Sequence

from reflow.core import dtypes
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import convert_to_tensor


def TF_ListPluggablePhysicalDevices() -> list[bytes]:  # noqa: N802 - TensorFlow's name
    """The names of devices that a plug-in of TensorFlow brought: none, as plug-ins of its C++ runtime do not load here."""
    return []


def TFE_Py_TensorShapeSlice(tensors: Sequence[EagerTensor], slice_dim: int) -> Tensor:  # noqa: N802 - TensorFlow's name
    """The sizes of one dimension of several tensors."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"tensors argument must be a list or a tuple. Got {type(tensors).__name__!r}")
    if slice_dim < 0:
        raise ValueError(f"Slice dimension must be non-negative. Got {slice_dim}")
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, EagerTensor):
            raise TypeError(f'Expected a list of EagerTensors but element {i} has type "{type(tensor).__name__}"')
        rank = len(tensor.shape)
        if rank <= slice_dim:
            raise IndexError(f"Slice dimension ({slice_dim}) must be smaller than rank of all tensors, but tensor at index {i} has rank {rank}")
    return convert_to_tensor([tensor.shape[slice_dim] for tensor in tensors], dtypes.int32)
