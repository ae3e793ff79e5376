"""`tensorflow.python.framework.tensor`, and `tensor_spec`.

Specs of tensors, and the base of specs whose values act as tensors.
"""

from reflow.core.specs import BoundedTensorSpec as BoundedTensorSpec
from reflow.core.specs import DenseSpec as DenseSpec
from reflow.core.specs import TensorSpec as TensorSpec


def sanitize_spec_name(name):
    """A name as a parameter can have it: small letters, digits, and `_` in place of anything else."""
    if not name:
        return "unknown"
    swapped = "".join(c if c.isalnum() else "_" for c in name.lower())
    return swapped if swapped[0].isalpha() else f"tensor_{swapped}"


def get_op_name(tensor_name):
    """The name of the node that a tensor comes from."""
    if not tensor_name:
        raise ValueError(f"Tensor name cannot be empty or None. Received: {tensor_name}.")
    return tensor_name.removeprefix("^").split(":")[0]
