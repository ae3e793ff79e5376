"""`tensorflow.python.data.util.structure`: the specs of a dataset's elements, and elements as lists of tensors.

In these lists one variant stands for a sparse or ragged tensor, as it does in TensorFlow's pipelines.
"""

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.call import call
from reflow.api.control.tensor_array import TensorArray, TensorArraySpec
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor, RaggedTensorSpec
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor, SparseTensorSpec, SparseTensorValue
from reflow.core.specs import NoneTensorSpec as NoneTensorSpec
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.tensor import Tensor
from reflow.data import structure as specs
from reflow.drop_in.python.data.util import nest, sparse
from reflow.io.serialized import serialize_many_sparse, serialize_sparse
from reflow.ops.convert import convert_to_tensor


def get_flat_tensor_specs(element_spec) -> list:
    """The specs of the tensors that an element is made of."""
    return [part for spec in nest.flatten(element_spec) for part in _parts(spec)]


def _parts(spec: TypeSpec) -> list:
    if isinstance(spec, SparseTensorSpec) or isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        return [TensorSpec(None, dtypes.variant)]
    return specs.flat_specs(spec)


def get_flat_tensor_shapes(element_spec) -> list:
    return [spec.shape for spec in get_flat_tensor_specs(element_spec)]


def get_flat_tensor_types(element_spec) -> list:
    return [spec.dtype for spec in get_flat_tensor_specs(element_spec)]


def to_tensor_list(element_spec, element) -> list:
    """The tensors that an element is made of; ValueError or TypeError if it is none of this spec."""
    return _to_list(element_spec, element, serialize_sparse, False)


def to_batched_tensor_list(element_spec, element) -> list:
    """The component tensors of a batch of elements; their first axis is the batch."""
    found = _to_list(element_spec, element, serialize_many_sparse, True)
    if any(tensor.shape.rank == 0 for tensor in found):
        raise ValueError(f"The elements of {element} cannot be a batch: some of their tensors are scalars.")
    return found


def _to_list(element_spec, element, serialize: Callable[..., Any], batched: bool) -> list:
    nest.assert_same_structure(element_spec, element)
    pairs = zip(nest.flatten(element_spec), nest.flatten(element), strict=True)
    return [tensor for spec, value in pairs for tensor in _encoded(spec, value, serialize, batched)]


def _encoded(spec: TypeSpec, value: Any, serialize: Callable[..., Any], batched: bool) -> list:
    """The tensors of one leaf of the structure."""
    if isinstance(spec, TensorSpec):
        return [_as_tensor(spec, value)]
    if isinstance(spec, SparseTensorSpec):
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"Value {value} is neither a SparseTensor nor SparseTensorValue.")
        return [serialize(SparseTensor.from_value(value), dtypes.variant)]
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        given = {"RAGGED_RANK": spec.ragged_rank, "Tsplits": spec.row_splits_dtype, "batched_input": batched}
        return [call("RaggedTensorToVariant", (*value.nested_row_splits, value.flat_values), given)]
    return specs.to_components(spec, value)


def _as_tensor(spec: TensorSpec, value: Any):
    message = f"Value {value} is not convertible to a tensor with dtype {spec.dtype} and shape {spec.shape}."
    try:
        tensor = convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError):
        raise ValueError(message) from None
    if not tensor.shape.is_compatible_with(spec.shape):
        raise ValueError(message)
    return tensor


def from_tensor_list(element_spec, tensor_list: Sequence[Any]):
    """The element that `to_tensor_list` took apart; ValueError if these tensors are not those of such an element."""
    return _from_list(element_spec, tensor_list, check=True)


def from_compatible_tensor_list(element_spec, tensor_list: Sequence[Any]):
    """`from_tensor_list` for tensors that are known to fit."""
    return _from_list(element_spec, tensor_list, check=False)


def _from_list(element_spec, tensors: Sequence[Any], check: bool):
    parts = [_parts(spec) for spec in nest.flatten(element_spec)]
    count = sum(map(len, parts))
    if count != len(tensors):
        raise ValueError(f"Expected {count} tensors but got {len(tensors)}.")
    leaves, at = [], 0
    for spec, expected in zip(nest.flatten(element_spec), parts, strict=True):
        given = list(tensors[at : at + len(expected)])
        at += len(expected)
        for place, (part, tensor) in enumerate(zip(expected, given, strict=True)):
            if check and not part.is_compatible_with(tensor):
                raise ValueError(
                    f"Cannot create a {spec.value_type.__name__} from the tensor list because item {place} "
                    f"({tensor!r}) is incompatible with the expected TypeSpec {part}."
                )
        leaves.append(_decoded(spec, given))
    return nest.pack_sequence_as(element_spec, leaves)


def _decoded(spec: TypeSpec, tensors: list):
    """The leaf of which these are the tensors."""
    if isinstance(spec, SparseTensorSpec):
        return sparse.deserialize_sparse_tensors(tensors[0], spec.dtype, spec.shape, SparseTensor)
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        given = {
            "input_ragged_rank": spec.ragged_rank, "output_ragged_rank": spec.ragged_rank, "Tvalues": spec.dtype,
            "Tsplits": spec.row_splits_dtype,
        }
        *splits, values = call("RaggedTensorFromVariant", (tensors[0],), given)
        if spec.shape.rank is not None:
            values.set_shape([None, *spec.shape.as_list()[spec.ragged_rank + 1 :]])
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)
    return specs.from_components(spec, tensors)


def convert_legacy_structure(output_types, output_shapes, output_classes):
    """The specs of elements of which the dtypes, shapes and classes are given, each as a structure."""
    parts = zip(*map(nest.flatten, (output_types, output_shapes, output_classes)), strict=True)
    return nest.pack_sequence_as(output_classes, [_legacy_spec(*part) for part in parts])


def _legacy_spec(dtype, shape, cls) -> TypeSpec:
    if isinstance(cls, TypeSpec):
        return cls
    if issubclass(cls, SparseTensor):
        return SparseTensorSpec(shape, dtype)
    if issubclass(cls, Tensor):
        return TensorSpec(shape, dtype)
    if issubclass(cls, TensorArray):  # the first two sizes are flags
        dynamic_size, infer_shape = TensorShape(shape).as_list()[:2]
        return TensorArraySpec(TensorShape(shape)[2:], dtype, dynamic_size=dynamic_size, infer_shape=infer_shape)
    raise TypeError(
        f"Could not build a structure for output class {cls.__name__}. Make sure any component class in "
        "`output_classes` inherits from one of the following classes: `tf.TypeSpec`, `tf.sparse.SparseTensor`, "
        "`tf.Tensor`, `tf.TensorArray`."
    )


def are_compatible(spec1, spec2) -> bool:
    """Whether elements of one spec are elements of the other, too."""
    return specs.compatible(spec1, spec2, nest)


def normalize_element(element, element_signature=None):
    """An element with tensors as its leaves."""
    return specs.normalize(element, element_signature)


def type_spec_from_value(element, use_fallback=True):
    """The specs of an element. With `use_fallback`, values that can become tensors have specs too."""

    def leaf(value):
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        if (
            not use_fallback and not isinstance(value, TypeSpec) and not hasattr(value, "_type_spec")
            and not isinstance(value, Tensor)
        ):
            raise TypeError(f"Could not build a `TypeSpec` for {value} with type {type(value).__name__}")
        return specs.spec_of(value)

    if isinstance(element, tuple) and hasattr(element, "__wrapped__"):  # a proxy of one
        element = element.__wrapped__
    return nest.pack_sequence_as(element, [leaf(value) for value in nest.flatten(element)])
