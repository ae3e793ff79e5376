"""`tensorflow.python.pywrap_tfe`: facts about the runtime that libraries ask TensorFlow's C++ for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.core import dtypes, errors
from reflow.core.tensor import EagerTensor, Tensor, is_tensor
from reflow.drop_in.python.eager import execute
from reflow.drop_in.python.eager.core import _FallbackException, _NotOkStatusException
from reflow.eager.execute import check_dtypes
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch

#: kinds of attributes
TF_ATTR_STRING, TF_ATTR_INT, TF_ATTR_FLOAT, TF_ATTR_BOOL, TF_ATTR_TYPE = range(5)
TF_ATTR_SHAPE, TF_ATTR_TENSOR, TF_ATTR_PLACEHOLDER, TF_ATTR_FUNC = range(5, 9)


def TF_ListPluggablePhysicalDevices() -> list[bytes]:  # noqa: N802 - TensorFlow's name
    """The names of devices that a plug-in of TensorFlow brought.

    None, as plug-ins of its C++ runtime do not load here.
    """
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
            raise IndexError(
                f"Slice dimension ({slice_dim}) must be smaller than rank of all tensors, but tensor at "
                f"index {i} has rank {rank}"
            )
    return convert_to_tensor([tensor.shape[slice_dim] for tensor in tensors], dtypes.int32)


def TFE_Py_RegisterExceptionClass(exception: type) -> None:  # noqa: N802 - TensorFlow's name
    """The exception class of a failed op before it becomes one of `tf.errors`: always the same here."""
    if not (isinstance(exception, type) and issubclass(exception, Exception)):
        raise TypeError(
            f"TFE_Py_RegisterExceptionClass: Registered class should be subclass of Exception, got {exception!r}."
        )


def TFE_Py_FastPathExecute(*args: Any) -> Any:  # noqa: N802 - TensorFlow's name
    """Run an op: one tensor, a list of several, or None.

    The arguments are the context, the op's name, a name or None, its inputs in order, and attributes, each a name and a
    value.

    Errors are those of the C++ function: `_FallbackException` for arguments that only slower code takes,
    `_NotOkStatusException` for an op that fails.
    """
    if len(args) < 3:
        raise ValueError("There must be at least 3 items in the input tuple.")
    _, op_name, _, *rest = args
    if not isinstance(op_name, str):
        raise TypeError(f"expected a string for op_name, got {type(op_name).__name__} instead")
    if op_name not in registry.REGISTRY:
        words = f"'{op_name}' is neither a type of a primitive operation nor a name of a function registered in binary"
        raise _NotOkStatusException(words, errors.NOT_FOUND)
    try:
        record = registry.get(op_name)
        count = len(record.definition.inputs)
        if len(rest) < count:
            raise ValueError(
                f"Tuple size smaller than intended. Expected to be at least {count + 3}, was {len(rest) + 3}"
            )
        inputs = [t for arg, value in zip(record.definition.inputs, rest) for t in _input(arg, value)]
        check_dtypes(record, inputs)
        result = dispatch(record, inputs, _given(record.definition, rest[count:]))
    except errors.OpError as error:
        raise _NotOkStatusException(error.message, error.error_code) from error
    return (result if record.single else list(result)) if record.definition.outputs else None


def _input(arg: Any, value: Any) -> list[Tensor]:
    """The tensors of one input: values that are none are converted where the op says to which dtype."""
    if arg.is_list:
        return [convert_to_tensor(part) for part in value]
    if arg.type_attr and not is_tensor(value):
        raise _FallbackException(
            "This function does not handle the case of the path where all inputs are not already EagerTensors."
        )
    return [convert_to_tensor(value, None if is_tensor(value) or arg.type is None else dtypes.as_dtype(arg.type))]


def _given(definition: Any, pairs: Sequence[Any]) -> dict[str, Any]:
    """Attributes from names and values by turns; those that the op lacks, and None, are left out."""
    found = {key: value for key, value in zip(pairs[::2], pairs[1::2]) if key in definition.attrs and value is not None}
    try:
        return execute._attributes(definition, found)
    except errors.InvalidArgumentError as error:
        raise _FallbackException(error.message) from None
