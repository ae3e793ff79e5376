"""`tensorflow.python.eager.execute`: arguments of ops as the types that their attributes want."""

from typing import Any

from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError, NotFoundError
from reflow.core.shapes import TensorShape
from reflow.core.tensor import EagerTensor
from reflow.graph.proto_values import encode_tensor
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch


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
    """(dtype, tensors): values as tensors of one dtype. That of a tensor among them decides, then what the values are
    like if that is allowed, then the default."""
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


def quick_execute(op_name, num_outputs, inputs, attrs, ctx, name=None):
    """Run an op by its name: `attrs` are names and values by turns, dtypes as numbers.

    Returns the list of its outputs.
    """
    if not isinstance(num_outputs, int):
        raise TypeError(f"The number of outputs is an int, not {num_outputs!r}.")
    op_name = op_name.decode() if isinstance(op_name, bytes) else op_name
    if op_name not in registry.REGISTRY:
        raise NotFoundError(None, None, f"Op type not registered '{op_name}' in binary running on this machine.")
    record = registry.get(op_name)
    given = dict(zip((attrs or ())[::2], (attrs or ())[1::2], strict=True))
    found = dispatch(record, list(inputs), _attributes(record.definition, given))
    flat = [found] if record.single else list(found or ())
    if len(flat) > num_outputs:
        raise InvalidArgumentError(None, None, f"Expecting {len(flat)} outputs, but *num_retvals is {num_outputs}")
    return flat


execute = quick_execute


def _attributes(definition, given):
    """Attributes as kernels take them; those that follow from the inputs are left out."""
    for name in given:
        if name not in definition.attrs:
            raise InvalidArgumentError(None, None, f"Op '{definition.name}' has no attribute '{name}'")
    checked = {name: _attribute(name, definition.attrs[name].type, value) for name, value in given.items()}
    return {name: value for name, value in checked.items() if name not in definition.inferred_attrs}


def _attribute(name, kind, value):
    if kind.startswith("list("):
        if not isinstance(value, (list, tuple)):
            raise InvalidArgumentError(
                None, None, f"Expecting sequence value for attr {name}, got {type(value).__name__}"
            )
        return [_attribute(name, kind[5:-1], item) for item in value]
    if kind == "shape":
        return _shape(name, value)
    allowed = _PYTHON_TYPES.get(kind)
    if allowed is not None and (not isinstance(value, allowed) or kind != "bool" and isinstance(value, bool)):
        raise InvalidArgumentError(None, None, f"Expecting {kind} value for attr {name}, got {type(value).__name__}")
    return dtypes.as_dtype(value) if kind == "type" else value


_PYTHON_TYPES: dict[str, Any] = {
    "type": (int, dtypes.DType), "string": (str, bytes), "int": int, "float": (int, float), "bool": bool
}


def _shape(name, value):
    """A shape attribute; it is checked here, where its name is known."""
    if value is None or isinstance(value, TensorShape):
        return TensorShape(value)._dims
    if not isinstance(value, (list, tuple)):
        raise InvalidArgumentError(None, None, f"Expecting sequence value for attr {name}, got {type(value).__name__}")
    for size in value:
        if size is not None and not hasattr(size, "__index__"):
            raise InvalidArgumentError(None, None, f"Expecting a Dimension for attr {name}, got {type(size).__name__}")
    return tuple(None if size is None or size < 0 else int(size) for size in value)
