"""`tensorflow.python.ops.ragged.ragged_tensor`: tests and conversions for ragged tensors."""

from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


def is_ragged(value) -> bool:
    """Whether a value is a ragged tensor."""
    return isinstance(value, RaggedTensor)


def convert_to_tensor_or_ragged_tensor(value, dtype=None, preferred_dtype=None, name=None):
    """A ragged tensor as it is (its dtype must be `dtype` if that is given), anything else as a tensor."""
    if isinstance(value, RaggedTensor):
        if dtype is not None and not value.dtype.is_compatible_with(dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtype} for RaggedTensor with dtype {value.dtype.name}: {value}."
            )
        return value
    return convert_to_tensor(value, dtype, preferred_dtype, name)
