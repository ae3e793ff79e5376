"""`tensorflow.python.data.experimental.ops.compression_ops`: an element as one variant, and back."""

from typing import Any

from reflow.api.call import call
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.drop_in.python.data.util import structure
from reflow.ops.convert import convert_to_tensor


def compress(element: Any) -> Tensor:
    """A scalar variant that holds an element."""
    spec = structure.type_spec_from_value(element)
    tensors = structure.to_tensor_list(spec, structure.normalize_element(element))
    return call("CompressElement", tensors, {"input_types": [tensor.dtype for tensor in tensors]})


def uncompress(element: Any, output_spec: Any) -> Any:
    """The element, of the given spec, that `compress` put into a variant."""
    variant = convert_to_tensor(element)
    if variant.dtype is not dtypes.variant:
        raise TypeError(f"Only a variant can be uncompressed, received a tensor of type {variant.dtype.name}.")
    parts = structure.get_flat_tensor_specs(output_spec)
    kinds = {"output_types": [spec.dtype for spec in parts], "output_shapes": [spec.shape._dims for spec in parts]}
    return structure.from_tensor_list(output_spec, call("UncompressElement", (variant,), kinds))
