"""Nested Python structures as StructuredValue protos: signatures, defaults and results of functions in a SavedModel.

Leaves are plain values, shapes, dtypes, tensors and TypeSpecs; structures are lists, tuples, named tuples and
dictionaries with string keys. A named tuple is restored as one of a new class with the same name and fields.
"""

from __future__ import annotations

import collections
import importlib
from typing import Any

import numpy as np
from tensorboard.compat.proto import struct_pb2

from reflow.api.export import export
from reflow.api.framework.internal import lookup_type_spec, type_spec_name
from reflow.api.linalg import operators
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.specs import BoundedTensorSpec, TensorSpec, TypeSpec
from reflow.core.tensor import EagerTensor
from reflow.graph.proto_values import decode_dtype, decode_shape, decode_tensor, encode_shape, encode_tensor

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
}


class NotEncodableError(Exception):
    """A value that has no place in a SavedModel's structures."""


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
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, (bool, np.bool_)):
        proto.bool_value = bool(value)
    elif isinstance(value, (int, np.integer)):
        proto.int64_value = int(value)
    elif isinstance(value, (float, np.floating)):
        proto.float64_value = float(value)
    elif isinstance(value, (str, bytes)):
        proto.string_value = value if isinstance(value, str) else value.decode()
    elif isinstance(value, TensorShape):
        encode_shape(value._dims, proto.tensor_shape_value)
        proto.tensor_shape_value.SetInParent()
    elif isinstance(value, dtypes.DType):
        proto.tensor_dtype_value = value.enum
    elif isinstance(value, TypeSpec):
        _encode_spec(value, proto)
    elif isinstance(value, EagerTensor) and value._dtype.kind != "o":
        proto.tensor_value.CopyFrom(encode_tensor(value._host(), value._dtype))
    elif isinstance(value, np.ndarray) and value.dtype in dtypes.FROM_NUMPY:
        proto.numpy_value.CopyFrom(encode_tensor(value))
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
        raise NotEncodableError(f"No encoder for object {value!r} of type {type(value)}.")


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
        number = _Classes.REGISTERED_TYPE_SPEC
        try:
            class_name = type_spec_name(type(spec))
        except ValueError:
            raise NotEncodableError(f"No encoder for object {spec!r} of type {type(spec)}.") from None
    held = proto.type_spec_value
    held.type_spec_class, held.type_spec_class_name = number, class_name
    _encode(tuple(spec._serialize()), held.type_state)
    held.num_flat_components = (
        1 if number == _Classes.VARIABLE_SPEC else len(nest.flatten(spec, expand_composites=True))
    )


@export("__internal__.saved_model.decode_proto")
def decode(proto):
    """The structure of a StructuredValue. ValueError if it holds something unknown."""
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
    if proto.type_spec_class == _Classes.REGISTERED_TYPE_SPEC:
        if proto.type_spec_class_name.startswith("tf.linalg."):
            operators.load_all()
        try:
            registered = lookup_type_spec(proto.type_spec_class_name)
        except ValueError as error:
            raise ValueError(
                f"The type '{proto.type_spec_class_name}' has not been registered.  It must be registered before you "
                "load this object (typically by importing its module)."
            ) from error
        return registered._deserialize(decode(proto.type_state))
    if proto.type_spec_class not in SPEC_CLASSES:
        name = proto.type_spec_class_name or _Classes.TypeSpecClass.Name(proto.type_spec_class)
        raise ValueError(f"The TypeSpec {name} in a SavedModel is not supported.")
    module, name = SPEC_CLASSES[proto.type_spec_class]
    return getattr(importlib.import_module(module), name)._deserialize(decode(proto.type_state))
