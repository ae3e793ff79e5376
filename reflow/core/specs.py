"""Type specs: the static description of a value, without the value.

A `TensorSpec` is a dtype and a partial shape. A composite value (IndexedSlices, an Optional, an iterator, a ragged
tensor…) has a spec that also knows how to flatten it into component tensors and rebuild it; `reflow.core.nest` does
that with `expand_composites=True`. `tf.function` keys its traces by specs.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.shapes import TensorShape, dims_of, includes, relax
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.core.types import DTypeLike, Proto, ShapeLike, Structure


class _Coder:
    """A stand-in for the proto encoder until that is loaded (`reflow/saved_model/structures.py`)."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.load(), name)

    load: Callable[[], Any]


coder = _Coder()
_NODE_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")


class TypeSpec:
    """Base of all specs. Subclasses define `value_type`, `_serialize`, and how to split values into components.

    >>> isinstance(tf.TensorSpec([2]), tf.TypeSpec)
    True
    """

    __slots__ = ()
    _is_composite_spec = True
    value_type: Any = object

    def _serialize(self) -> tuple[Any, ...]:
        raise AttributeError(f"{type(self).__name__} does not say how it is serialized.")

    @property
    def _component_specs(self) -> Structure:
        raise AttributeError(f"{type(self).__name__} does not say its components.")

    if TYPE_CHECKING:

        def _to_components(self, value: Any) -> Structure: ...
        def _from_components(self, components: Structure) -> Any: ...

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or every value of another spec, is compatible with this spec."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else type_spec_from_value(spec_or_value)
        return type(self) is type(other) and self.__is_compatible(self._serialize(), other._serialize())

    # TensorFlow's names for these two; libraries with their own specs call them.

    @staticmethod
    def __is_compatible(general: Any, specific: Any) -> bool:
        """Whether two serialized specs match component by component."""
        return _fits(general, specific, _compatible_parts)

    @staticmethod
    def __make_cmp_key(serialized: Any) -> Any:
        """A serialized spec in a form that can be compared and hashed."""
        return _hashable(serialized)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this spec is also one of `other`: an unknown size fits no other."""
        return type(self) is type(other) and _fits(other._serialize(), self._serialize(), _subtype_parts)

    def most_specific_common_supertype(self, others: Iterable[TypeSpec]) -> TypeSpec | None:
        """The narrowest spec that this and all others fit, or None."""
        result = self
        with contextlib.suppress(ValueError):
            for other in others:
                result = result.most_specific_compatible_type(other)
            return result
        return None

    def most_specific_compatible_type(self, other: Any) -> TypeSpec:
        """The most specific spec that includes both."""
        if type(self) is type(other):
            with contextlib.suppress(ValueError):
                return self._deserialize(_relaxed(self._serialize(), other._serialize()))
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")

    # --- as a TraceType: how functions flatten values of this spec

    def __tf_tracing_type__(self, context: Any) -> TypeSpec:
        return self

    def flatten(self) -> list[TypeSpec]:
        """The specs of the component tensors.

        >>> TensorSpec([2]).flatten()
        [TensorSpec(shape=(2,), dtype=tf.float32, name=None)]
        """
        return nest.flatten(self, expand_composites=True)

    def to_tensors(self, value: Any) -> list[Any]:
        """The component tensors of a value."""
        return nest.flatten(value, expand_composites=True)

    def from_tensors(self, tensors: Iterable[Any]) -> Any:
        """The value made of the next component tensors of an iterator."""
        tensors = iter(tensors)
        return nest.pack_sequence_as(self, [next(tensors) for _ in self.flatten()], expand_composites=True)

    _flat_tensor_specs = property(lambda self: self.flatten())

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return self.to_tensors(value)

    def _from_tensor_list(self, tensor_list: list[Any]) -> Any:
        if (given := len(tensor_list)) != (expected := len(self._flat_tensor_specs)):
            raise ValueError(
                f"Cannot create a {self.value_type.__name__} from the tensor list because the TypeSpec expects "
                f"{expected} items, but the provided tensor list has {given} items."
            )
        return self._from_compatible_tensor_list(tensor_list)

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        return self.from_tensors(tensor_list)

    def cast(self, value: Any, casting_context: Any = None) -> Any:
        """The value, if it matches this spec; otherwise a TypeError."""
        if not self.is_compatible_with(value):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A value made of placeholders in the current graph: the argument with which a function is traced."""
        parts = nest.map_structure(lambda spec: spec.placeholder_value(placeholder_context), self._component_specs)
        return self._from_components(parts)

    # --- as protos, for SavedModels

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of protos that hold such a spec."""
        from tensorboard.compat.proto.struct_pb2 import TypeSpecProto

        return TypeSpecProto

    @classmethod
    def experimental_from_proto(cls, proto: Proto) -> Any:
        """The spec in a proto."""
        return coder.decode(coder.StructuredValue(type_spec_value=proto))

    def experimental_as_proto(self) -> Proto:
        """This spec as a proto."""
        return coder.encode(self).type_spec_value

    @classmethod
    def _deserialize(cls, parts: tuple[Any, ...]) -> TypeSpec:
        return cls(*parts)

    def _with_tensor_ranks_only(self) -> TypeSpec:
        return self

    def _without_tensor_names(self) -> TypeSpec:
        """This spec without the names of tensors in it."""
        return self._deserialize(nest.map_structure(_unnamed, self._serialize()))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _hashable(self._serialize()) == _hashable(other._serialize())

    def __hash__(self) -> int:
        return hash((type(self).__name__, _hashable(self._serialize())))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._deserialize, (self._serialize(),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def _compatible_parts(general: TensorShape | TypeSpec, specific: Any) -> bool:
    return general.is_compatible_with(specific)


def _subtype_parts(general: Any, specific: Any) -> bool:
    if isinstance(general, TensorShape):
        return includes(general._dims, dims_of(specific))
    return isinstance(specific, TypeSpec) and specific.is_subtype_of(general)


def _fits(general: Any, specific: Any, compare: Callable[[Any, Any], bool]) -> bool:
    """Whether two serialized specs match component by component; `compare` decides for shapes and nested specs."""
    if isinstance(general, (TensorShape, TypeSpec)):
        return compare(general, specific)
    if isinstance(general, dict):
        same_keys = isinstance(specific, dict) and general.keys() == specific.keys()
        return same_keys and all(_fits(v, specific[k], compare) for k, v in general.items())
    if isinstance(general, (tuple, list)):
        return (
            isinstance(specific, (tuple, list))
            and len(general) == len(specific)
            and all(_fits(a, b, compare) for a, b in zip(general, specific, strict=True))
        )
    return bool(general == specific)


def _relaxed(a: Any, b: Any) -> Any:
    if isinstance(a, TensorShape):
        return TensorShape._of(relax(a._dims, dims_of(b)))
    if isinstance(a, TypeSpec):
        return a.most_specific_compatible_type(b)
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return {k: _relaxed(v, b[k]) for k, v in a.items()}
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
        return nest.rebuild(a, [_relaxed(x, y) for x, y in zip(a, b, strict=True)])
    if a != b:
        raise ValueError(f"No TypeSpec is compatible with both {a} and {b}")
    return a


def _unnamed(part: Any) -> Any:
    return part._without_tensor_names() if isinstance(part, TypeSpec) else part


def _hashable(x: Any) -> Any:
    if isinstance(x, dict):
        return tuple((k, _hashable(x[k])) for k in sorted(x))
    if isinstance(x, (tuple, list)):
        return tuple(map(_hashable, x))
    if isinstance(x, np.ndarray):
        return (x.dtype.str, x.shape, x.tobytes())
    return x


def batched(shape: TensorShape, size: int | None) -> TensorShape:
    """The shape of `size` stacked tensors of a shape."""
    return TensorShape([size]).concatenate(shape)


def unbatched(shape: TensorShape) -> TensorShape | None:
    """The shape of a row."""
    if shape.rank == 0:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return None if shape.rank is None else shape[1:]


class DenseSpec(TypeSpec):
    """A dtype, a partial shape and a name: the base of `TensorSpec` and of library specs of tensor-like values."""

    __slots__ = ("_shape", "_dtype", "_name")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> None:
        self._shape = shape if type(shape) is TensorShape else TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def name(self) -> str | None:
        return self._name

    ndim = property(lambda self: self._shape.rank)
    rank = property(lambda self: self._shape.rank)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype, self._name)

    def _without_tensor_names(self) -> DenseSpec:
        *parts, _ = self._serialize()
        return self._deserialize((*parts, None))  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class TensorSpec(DenseSpec):
    """Describes tensors by a dtype and a partial shape.

    Args:
      shape: The shape, with None for any size; None for any rank.
      dtype: The dtype.
      name: A name for the tensor, as for arguments of functions.

    >>> TensorSpec([None, 2], "float32")
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    """

    __slots__ = ()
    _is_composite_spec = False
    value_type = Tensor

    @property
    def _component_specs(self) -> Structure:
        return self

    def _to_components(self, value: Any) -> Structure:
        return value

    def _from_components(self, components: Structure) -> Any:
        return components

    def _batch(self, size: int | None) -> TensorSpec:
        """The spec of `size` such tensors, stacked."""
        return TensorSpec(batched(self._shape, size), self._dtype)

    def _unbatch(self) -> TensorSpec:
        """The spec of a row."""
        return TensorSpec(unbatched(self._shape), self._dtype)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> Self:
        """The spec of a tensor."""
        if not isinstance(tensor, TensorBase):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        if name is None and isinstance(tensor, Tensor) and tensor._is_symbolic:
            name = tensor.op.name
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Self:
        """The shape and dtype of another spec, with a name if one is given."""
        return cls(spec.shape, spec.dtype, name or getattr(spec, "name", None))

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        return (
            isinstance(spec_or_tensor, (TensorSpec, Tensor))
            and self._dtype is spec_or_tensor.dtype
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        return (
            isinstance(other, TensorSpec) and self._dtype is other._dtype and self._name in (None, "", other._name)
            and includes(other._shape._dims, self._shape._dims)
        )

    def most_specific_common_supertype(self, others: Iterable[TypeSpec]) -> TypeSpec | None:
        dims = self._shape._dims
        for other in others:
            if not isinstance(other, TensorSpec) or (other._dtype, other._name) != (self._dtype, self._name):
                return None
            dims = relax(dims, other._shape._dims)
        return TensorSpec(TensorShape._of(dims), self._dtype, self._name)

    def most_specific_compatible_type(self, other: Any) -> TypeSpec:
        if found := self.most_specific_common_supertype([other]):
            return found
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")

    @classmethod
    def experimental_type_proto(cls) -> Any:
        from tensorboard.compat.proto.struct_pb2 import TensorSpecProto

        return TensorSpecProto

    @classmethod
    def experimental_from_proto(cls, proto: Proto) -> TensorSpec:
        return TensorSpec(TensorShape(proto.shape), proto.dtype, proto.name or None)

    def experimental_as_proto(self) -> Proto:
        """The spec as a `TensorSpecProto`, the form in SavedModels."""
        made = self.experimental_type_proto()
        return made(name=self._name, shape=self._shape.as_proto(), dtype=self._dtype.as_datatype_enum)

    def cast(self, value: Any, casting_context: Any = None) -> Any:
        """The value as a tensor of this spec; another spec only if the context allows specs."""
        if isinstance(value, TensorSpec) and getattr(casting_context, "allow_specs", False):
            tensor = value
        else:
            tensor = self._as_tensor(value)
        if not self.is_compatible_with(tensor):
            found = tensor if isinstance(tensor, TensorSpec) else type_spec_from_value(tensor)
            raise TypeError(f"Can not cast {found!r} to {self!r}")
        return tensor

    def _as_tensor(self, value: Any) -> Any:
        if hasattr(value, "_is_resource_variable"):
            return value.value()
        array = None if isinstance(value, TensorBase) else array_of(value, self._dtype)
        return value if array is None else EagerTensor(array)

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        graph = getattr(placeholder_context, "context_graph", None) or state.graph
        if graph is None:
            raise TypeError("TensorSpec.placeholder_value is only meant to be called while a graph is built.")
        if hasattr(graph, "add_input"):
            return graph.add_input(self._dtype, self._shape._dims, self._name or "placeholder")
        return self._graph_placeholder(graph, self._name)

    def _graph_placeholder(self, graph: Any, name: str | None = None) -> Any:
        """A placeholder in a graph, under a name if it is one that nodes can have."""
        from tensorboard.compat.proto.attr_value_pb2 import AttrValue

        attrs = {"dtype": AttrValue(type=self._dtype.as_datatype_enum),
                 "shape": AttrValue(shape=self._shape.as_proto())}
        usable = name is not None and _NODE_NAME.match(name)
        return graph.create_op("Placeholder", [], [self._dtype], name=name if usable else "Placeholder",
                               attrs=attrs).outputs[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))


class BoundedTensorSpec(TensorSpec):
    """A TensorSpec with a minimum and a maximum, as arrays that can be broadcast to its shape.

    >>> BoundedTensorSpec([2], "int32", 0, 3).maximum
    array(3, dtype=int32)
    """

    __slots__ = ("_minimum", "_maximum")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike, minimum: Any, maximum: Any, name: str | None = None) -> None:
        super().__init__(shape, dtype, name)
        self._minimum, self._maximum = self._bound("minimum", minimum), self._bound("maximum", maximum)

    def _bound(self, what: str, given: Any) -> np.ndarray:
        if given is None:
            raise ValueError(f"`{what}` can not be None.")
        bound = np.array(given, self._dtype.as_numpy_dtype)
        bound.flags.writeable = False
        try:
            np.broadcast_shapes(bound.shape, tuple(1 if size is None else size for size in self._shape._dims or ()))
        except ValueError:
            raise ValueError(f"`{what}` {given} is not compatible with shape {self._shape}.") from None
        return bound

    minimum = property(lambda self: self._minimum)
    maximum = property(lambda self: self._maximum)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Self:
        """The bounded form of another spec, with the limits of the dtype where it has none of its own."""
        dtype = dtypes.as_dtype(spec.dtype)
        low, high = getattr(spec, "minimum", dtype.min), getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, low, high, name or getattr(spec, "name", None))

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype, self._minimum, self._maximum, self._name)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and (self._shape, self._dtype, self._name) == (other._shape, other._dtype, other._name)
            and np.allclose(self._minimum, other._minimum)
            and np.allclose(self._maximum, other._maximum)
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


class VariableSpec(TypeSpec):
    """The spec of a `tf.Variable`: its shape and dtype; `alias_id` distinguishes the variables of one call."""

    __slots__ = ("_shape", "_dtype", "trainable", "alias_id")
    _is_composite_spec = False

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, trainable: bool = True, alias_id: int | None = None
    ) -> None:
        self._shape, self._dtype = TensorShape(shape), dtypes.as_dtype(dtype)
        self.trainable, self.alias_id = trainable, alias_id

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """The spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def _component_specs(self) -> Structure:
        return [TensorSpec([], dtypes.resource)]

    def _to_components(self, value: Any) -> Structure:
        return [value.handle]

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype, self.trainable, self.alias_id)

    def __repr__(self) -> str:
        rest = f"trainable={self.trainable!r}, alias_id={self.alias_id!r}"
        return f"VariableSpec(shape={self._shape}, dtype={self._dtype!r}, {rest})"


class NoneTensorSpec(TypeSpec):
    """The spec of `None` inside a structure.

    >>> tf.NoneTensorSpec() == tf.type_spec_from_value(None)
    True
    """

    __slots__ = ()

    @classmethod
    def from_value(cls, value: Any) -> NoneTensorSpec:
        """The spec of None, whatever the argument."""
        return cls()

    def _batch(self, size: int | None) -> NoneTensorSpec:
        return self

    def _unbatch(self) -> NoneTensorSpec:
        return self

    def most_specific_compatible_shape(self, other: Any) -> NoneTensorSpec:
        """TensorFlow's other name for the most specific common spec."""
        if type(self) is not type(other):
            raise ValueError(f"No `TypeSpec` is compatible with both {self!r} and {other!r}.")
        return self

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    _component_specs = ()

    def _to_components(self, value: Any) -> Structure:
        return ()

    def _from_components(self, components: Structure) -> Any:
        return None


SpecMaker: TypeAlias = Callable[[Any], TypeSpec | None]
#: tried in order; upper layers add theirs (datasets, ragged tensors, ...)
_spec_makers: list[SpecMaker] = []


def register_spec_maker(maker: SpecMaker) -> SpecMaker:
    _spec_makers.append(maker)
    return maker


def type_spec_from_value(value: Any) -> TypeSpec:
    """Returns the spec of a value.

    Args:
      value: A tensor, a composite, a variable, a NumPy array, Python numbers or None.

    Returns:
      A `tf.TypeSpec`.

    Raises:
      TypeError: There is no spec for such a value.

    >>> type_spec_from_value(1.0)
    TensorSpec(shape=(), dtype=tf.float32, name=None)
    """
    if getattr(value, "_is_composite", False):
        composite: TypeSpec = value._type_spec
        return composite
    if hasattr(value, "_is_resource_variable"):
        return VariableSpec.from_value(value)
    if hasattr(value, "_dtype") and hasattr(value, "shape"):
        return TensorSpec(value.shape, value._dtype)
    for maker in _spec_makers:
        spec = maker(value)
        if spec is not None:
            return spec
    if value is None:
        return NoneTensorSpec()
    array = array_of(value)
    if array is None:
        raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")
    return TensorSpec(TensorShape._of(array.shape), EagerTensor(array)._dtype)


def array_of(value: Any, dtype: dtypes.DType | None = None) -> Any:
    """Installed by `reflow.ops.convert`: a host array for a Python or NumPy value, or None."""
    return None


def install_array_of(function: Callable[..., Any]) -> None:
    global array_of
    array_of = function
