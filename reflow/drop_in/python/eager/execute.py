"""`tensorflow.python.eager.execute`: arguments of ops as the types that their attributes want."""

from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.tensor import EagerTensor
from reflow.graph.proto_values import encode_tensor
from reflow.ops.convert import convert_to_tensor


def _refused(kind, value, name):
    return TypeError(f"Expected {kind} for argument '{name}' not {value!r}.")


def make_float(v, arg_name):
    """A number as a float."""
    if isinstance(v, (str, bytes)) or not hasattr(v, "__float__"):
        raise _refused("float", v, arg_name)
    return float(v)


def make_int(v, arg_name):
    """A number as an int."""
    if isinstance(v, (str, bytes)):
        raise _refused("int", v, arg_name)
    try:
        return int(v)
    except (ValueError, TypeError):
        raise _refused("int", v, arg_name) from None


def make_str(v, arg_name):
    """A text as bytes."""
    if not isinstance(v, (str, bytes)):
        raise _refused("string", v, arg_name)
    return v.encode() if isinstance(v, str) else v


def make_bool(v, arg_name):
    """A bool, and nothing else."""
    if not isinstance(v, bool):
        raise _refused("bool", v, arg_name)
    return v


def make_type(v, arg_name):
    """A dtype as its number in protos."""
    try:
        return dtypes.as_dtype(v).base_dtype.as_datatype_enum
    except TypeError:
        raise _refused("DataType", v, arg_name) from None


def make_shape(v, arg_name):
    """A shape as a list, None for an unknown rank."""
    try:
        shape = TensorShape(v)
    except TypeError as error:
        raise TypeError(f"Error converting {arg_name} to a TensorShape: {error}.") from None
    except ValueError as error:
        raise ValueError(f"Error converting {arg_name} to a TensorShape: {error}.") from None
    return None if shape.rank is None else shape.as_list()


def make_tensor(v, arg_name):
    """A tensor as a TensorProto."""
    if hasattr(v, "tensor_shape"):
        return v
    try:
        tensor = convert_to_tensor(v)
    except (TypeError, ValueError):
        raise TypeError(f"Don't know how to convert {v!r} to a TensorProto for argument '{arg_name}'.") from None
    return encode_tensor(tensor._host(), tensor.dtype)


def args_to_matching_eager(l, ctx, allowed_dtypes, default_dtype=None):
    """(dtype, tensors): values as tensors of one dtype. That of a tensor among them decides, then what the values are like if that is
    allowed, then the default."""
    if not l and default_dtype is not None:
        return default_dtype, []
    dtype = next((x.dtype for x in l if isinstance(x, EagerTensor)), None)
    found = []
    for value in l:
        tensor = convert_to_tensor(value) if dtype is None and allowed_dtypes else None
        if tensor is None or tensor.dtype not in allowed_dtypes:
            tensor = convert_to_tensor(value, dtype, default_dtype if dtype is None else None)
        dtype = tensor.dtype if dtype is None else dtype
        found.append(tensor)
    return dtype, found


def convert_to_mixed_eager_tensors(values, ctx):
    """(dtypes, tensors) of values that may differ in type."""
    tensors = [convert_to_tensor(value) for value in values]
    return [t.dtype for t in tensors], tensors
