"""Nested Python structures as StructuredValue protos: signatures, defaults and results of functions in a SavedModel.

Leaves are plain values, shapes, dtypes, tensors and TypeSpecs; structures are lists, tuples, named tuples and
dictionaries with string keys. A named tuple is restored as one of a new class with the same name and fields.
"""

from __future__ import annotations

import collections
import importlib
import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from tensorboard.compat.proto import struct_pb2

from reflow.api.export import export
from reflow.api.framework.anonymous_type import AnonymousExtensionTypeSpec
from reflow.api.framework.extension_type import ExtensionTypeSpec
from reflow.api.framework.internal import lookup_type_spec, type_spec_name
from reflow.api.linalg import operators
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.specs import BoundedTensorSpec, TensorSpec, TypeSpec
from reflow.core.tensor import EagerTensor
from reflow.graph.proto_values import decode_dtype, decode_shape, decode_tensor, encode_shape, encode_tensor
from reflow.ops.convert import constant

StructuredValue = struct_pb2.StructuredValue
_Classes = struct_pb2.TypeSpecProto
#: where the class of a TypeSpec lives; upper layers are reached by name, when one of theirs is met
SPEC_CLASSES = {
    _Classes.SPARSE_TENSOR_SPEC: ("reflow.core.sparse", "SparseTensorSpec"),
    _Classes.INDEXED_SLICES_SPEC: ("reflow.core.indexed_slices", "IndexedSlicesSpec"),
    _Classes.RAGGED_TENSOR_SPEC: ("reflow.core.ragged", "RaggedTensorSpec"),
    _Classes.VARIABLE_SPEC: ("reflow.core.specs", "VariableSpec"),
    _Classes.DATA_DATASET_SPEC: ("reflow.data.specs", "DatasetSpec"),
    _Classes.DATA_ITERATOR_SPEC: ("reflow.data.iterators", "IteratorSpec"),
    _Classes.OPTIONAL_SPEC: ("reflow.data.optional", "OptionalSpec"),
    _Classes.TENSOR_ARRAY_SPEC: ("reflow.api.control.tensor_array", "TensorArraySpec"),
    _Classes.ROW_PARTITION_SPEC: ("reflow.api.ragged.row_partition_spec", "RowPartitionSpec"),
    _Classes.PER_REPLICA_SPEC: ("reflow.distribute.values", "PerReplicaSpec"),
}


class NotEncodableError(Exception):
    """A value that has no place in a SavedModel's structures."""


class Codec(Protocol):
    """How values of some kind are written and read; the functions that it gets are `encode` and `decode`."""

    def can_encode(self, value: Any) -> bool: ...
    def do_encode(self, value: Any, encode: Callable[[Any], Any]) -> Any: ...
    def can_decode(self, proto: Any) -> bool: ...
    def do_decode(self, proto: Any, decode: Callable[[Any], Any]) -> Any: ...


#: the codecs that a program has registered; the last one that knows a value goes first
CODECS: list[Codec] = []


@export("__internal__.saved_model.encode_structure")
def encode(value):
    """
    >>> decode(encode({"a": (1, None), "b": [TensorSpec([None], "float32")]}))
    {'a': (1, None), 'b': [TensorSpec(shape=(None,), dtype=tf.float32, name=None)]}
    """
    proto = StructuredValue()
    _encode(value, proto)
    return proto


def _encode(value, proto):
    for codec in reversed(CODECS):
        if codec.can_encode(value):
            proto.CopyFrom(codec.do_encode(value, encode))
            return
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, bool):
        proto.bool_value = value
    elif isinstance(value, int):
        proto.int64_value = value
    elif isinstance(value, float):
        proto.float64_value = value
    elif isinstance(value, str):
        proto.string_value = value
    elif isinstance(value, TensorShape):
        encode_shape(value._dims, proto.tensor_shape_value)
        proto.tensor_shape_value.SetInParent()
    elif isinstance(value, dtypes.DType):
        proto.tensor_dtype_value = value.enum
    elif isinstance(value, TypeSpec):
        _encode_spec(value, proto)
    elif isinstance(value, EagerTensor) and value._dtype.kind != "o":
        proto.tensor_value.CopyFrom(encode_tensor(value._host(), value._dtype))
    elif isinstance(value, np.ndarray) and value.dtype.kind not in "OSU" and value.dtype in dtypes.FROM_NUMPY:
        proto.numpy_value.CopyFrom(encode_tensor(value))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "OSU":
        proto.numpy_value.CopyFrom(encode_tensor(constant(value, dtypes.string)._host(), dtypes.string))
    else:
        _encode_structure(value, proto)


def _encode_structure(value, proto):
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        proto.named_tuple_value.name = type(value).__name__
        for field, item in zip(value._fields, value, strict=True):
            _encode(item, proto.named_tuple_value.values.add(key=field).value)
    elif isinstance(value, (list, tuple)):
        kind = proto.tuple_value if isinstance(value, tuple) else proto.list_value
        kind.SetInParent()
        for item in value:
            _encode(item, kind.values.add())
    elif isinstance(value, collections.abc.Mapping) and all(isinstance(k, str) for k in value):
        proto.dict_value.SetInParent()
        for key, item in value.items():
            _encode(item, proto.dict_value.fields[key])
    else:
        raise NotEncodableError(f"No encoder for object {value} of type {type(value)}.")


def _encode_spec(spec, proto):
    if type(spec) in (TensorSpec, BoundedTensorSpec):
        bounded = type(spec) is BoundedTensorSpec
        held = proto.bounded_tensor_spec_value if bounded else proto.tensor_spec_value
        held.name, held.dtype = spec.name or "", spec.dtype.enum
        encode_shape(spec.shape._dims, held.shape)
        held.shape.SetInParent()
        if bounded:
            held.minimum.CopyFrom(encode_tensor(np.asarray(spec.minimum, spec.dtype.np_dtype)))
            held.maximum.CopyFrom(encode_tensor(np.asarray(spec.maximum, spec.dtype.np_dtype)))
        return
    number = next((n for n, (_, name) in SPEC_CLASSES.items() if name == type(spec).__name__), None)
    class_name = type(spec).__name__
    if number is None:
        try:
            class_name = type_spec_name(type(spec))
        except ValueError:
            raise NotEncodableError(f"No encoder for object {spec} of type {type(spec)}.") from None
        number = _Classes.EXTENSION_TYPE_SPEC
        if not isinstance(spec, ExtensionTypeSpec):
            number = _Classes.REGISTERED_TYPE_SPEC
            warnings.warn(
                f"Encoding a StructuredValue with type {class_name}; loading this StructuredValue will require that "
                "this type be imported and registered.",
                stacklevel=1,
            )
    held = proto.type_spec_value
    held.type_spec_class, held.type_spec_class_name = number, class_name
    _encode(tuple(spec._serialize()), held.type_state)
    held.num_flat_components = (
        1 if number == _Classes.VARIABLE_SPEC else len(nest.flatten(spec, expand_composites=True))
    )


@export("__internal__.saved_model.decode_proto")
def decode_present(proto):
    """The structure of a StructuredValue, as `decode`; NotEncodableError if it holds nothing."""
    if proto.WhichOneof("kind") is None:
        raise NotEncodableError(f"No encoder for object {proto} of type {type(proto)}.")
    return decode(proto)


def decode(proto):
    """The structure of a StructuredValue, None if it holds nothing. ValueError if it holds something unknown."""
    for codec in reversed(CODECS):
        if codec.can_decode(proto):
            return codec.do_decode(proto, decode)
    kind = proto.WhichOneof("kind")
    value: Any = getattr(proto, kind) if kind else None
    if kind in (None, "none_value"):
        return None
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return value
    if kind == "tensor_shape_value":
        return TensorShape(decode_shape(value))
    if kind == "tensor_dtype_value":
        return decode_dtype(value)
    if kind == "tensor_spec_value":
        return TensorSpec(TensorShape(decode_shape(value.shape)), decode_dtype(value.dtype), value.name or None)
    if kind == "bounded_tensor_spec_value":
        return BoundedTensorSpec(
            TensorShape(decode_shape(value.shape)), decode_dtype(value.dtype), decode_tensor(value.minimum),
            decode_tensor(value.maximum), value.name or None,
        )
    if kind == "type_spec_value":
        return _decode_spec(value)
    if kind == "tensor_value":
        return EagerTensor(decode_tensor(value), decode_dtype(value.dtype))
    if kind == "numpy_value":
        return decode_tensor(value)
    return _decode_structure(kind, value)


def _decode_structure(kind, value):
    if kind == "list_value":
        return [decode(v) for v in value.values]
    if kind == "tuple_value":
        return tuple([decode(v) for v in value.values])
    if kind == "dict_value":
        return {key: decode(value.fields[key]) for key in sorted(value.fields)}
    made = collections.namedtuple(value.name, [pair.key for pair in value.values])  # type: ignore[misc]
    return made(*[decode(pair.value) for pair in value.values])


def _decode_spec(proto):
    number, name = proto.type_spec_class, proto.type_spec_class_name
    if number in (_Classes.REGISTERED_TYPE_SPEC, _Classes.EXTENSION_TYPE_SPEC):
        return _registered(number, name)._deserialize(decode(proto.type_state))
    if number not in SPEC_CLASSES:
        raise ValueError(
            f"The type '{name}' is not supported by this version of TensorFlow. (The object you are loading must have "
            "been created with a newer version of TensorFlow.)"
        )
    return spec_class(number)._deserialize(decode(proto.type_state))


def spec_class(number: int) -> Any:
    """The class of TypeSpecs with a number of its own."""
    module, name = SPEC_CLASSES[number]
    return getattr(importlib.import_module(module), name)


def _registered(number, name):
    """The class of a spec that its program has given a name. Where it is not known, a value of an extension type has
    its fields all the same, and any other cannot be made."""
    if name.startswith("tf.linalg."):
        operators.load_all()
    try:
        return lookup_type_spec(name)
    except ValueError as error:
        if number == _Classes.EXTENSION_TYPE_SPEC:
            warnings.warn(
                f"The type '{name}' has not been registered. Falling back to using AnonymousExtensionTypeSpec instead.",
                stacklevel=1,
            )
            return AnonymousExtensionTypeSpec
        raise ValueError(
            f"The type '{name}' has not been registered.  It must be registered before you load this object "
            "(typically by importing its module)."
        ) from error
