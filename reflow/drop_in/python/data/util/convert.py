"""`tensorflow.python.data.util.convert`: arguments of datasets as tensors."""

from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.tensor import is_tensor
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run


def optional_param_to_tensor(argument_name, argument_value, argument_default=0, argument_dtype=dtypes.int64):
    """An argument as a tensor; its default if it is None."""
    return convert_to_tensor(
        argument_default if argument_value is None else argument_value, argument_dtype, name=argument_name
    )


def partial_shape_to_tensor(shape_like):
    """A shape as a vector of int64 in which -1 stands for what is unknown. A number is the shape of a vector."""
    try:
        if not is_tensor(shape_like):
            dims = TensorShape(shape_like).as_list()
            return convert_to_tensor([-1 if d is None else d for d in dims], dtypes.int64)
    except (TypeError, ValueError):
        pass
    found = convert_to_tensor(shape_like)
    integer = found.dtype in (dtypes.int32, dtypes.int64)
    if integer and found.shape.rank == 0:
        found = run("ExpandDims", found, convert_to_tensor(0))
    if found.shape.rank != 1 or not integer:
        shown = found.numpy() if hasattr(found, "numpy") else found
        shown = shown.decode() if isinstance(shown, bytes) else shown
        raise ValueError(
            f"The given shape {shown} must be a 1-D tensor of `tf.int64` values, but the shape was {found.shape}."
        )
    return found if found.dtype == dtypes.int64 else run("Cast", found, DstT=dtypes.int64)
