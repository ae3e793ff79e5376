"""Structures of elements: from what users pass to flat components and back.

In tf.data, tuples, named tuples, dictionaries and attrs classes are structure; a *list is a tensor*. `None` is a
component without values. Composite values (optionals, nested datasets, ...) are flattened by their specs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.framework.batchable_type import encoder_of
from reflow.api.ragged.constants import RaggedTensorValue
from reflow.core import dtypes, nest, specs
from reflow.core.context import state
from reflow.core.ragged import RaggedTensorSpec
from reflow.core.sparse import SparseTensor, SparseTensorSpec, SparseTensorValue
from reflow.core.specs import NoneTensorSpec, TensorSpec, TypeSpec
from reflow.core.tensor import Tensor, TensorBase
from reflow.data.engine.composites import Dense, Leaf, Ragged, Sparse
from reflow.ops.convert import convert_to_tensor


class ElementSpec(TypeSpec):
    """The spec of a value that is one tensor, of dtype `_component_dtype`, and knows the spec of its elements."""

    __slots__ = ("_element_spec", "_hash", "_components")
    _component_dtype: dtypes.DType

    def __init__(self, element_spec):
        self._element_spec = element_spec
        self._hash: int | None = None
        self._components = (TensorSpec([], self._component_dtype),)

    def __hash__(self):  # each call of a function with an iterator asks three times
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def _serialize(self):
        return (self._element_spec,)

    @property
    def _component_specs(self):
        return self._components

    @classmethod
    def from_value(cls, value):
        """The spec of an optional."""
        return cls(value.element_spec)


def is_structure(x) -> bool:
    """Whether tf.data looks inside `x`: tuples and dictionaries.

    A list or a range is not structure, it becomes a tensor.
    """
    return nest.is_nested(x) and not isinstance(x, (list, range, SparseTensorValue))


def map_leaves(function, x):
    """`function` of the leaves of a tf.data structure, lists being leaves."""
    if is_structure(x):
        return nest.rebuild(x, [map_leaves(function, child) for _, child in nest._items(x)])
    return function(x)


def leaves(x) -> list:
    """The leaves of a tf.data structure, lists being leaves."""
    return [leaf for _, child in nest._items(x) for leaf in leaves(child)] if is_structure(x) else [x]


def normalize(element, spec=None):
    """An element with tensors or composites as its leaves."""
    if spec is not None:
        return _normalize_as(element, spec)

    def leaf(x):
        if x is None or isinstance(x, Tensor) or getattr(x, "_is_composite", False):
            return x
        composite = _composite(x)
        return convert_to_tensor(x) if composite is None else composite

    return map_leaves(leaf, element)


def _composite(x):
    """The composite tensor of a value of one, as version 1 has it; None for anything else."""
    if isinstance(x, SparseTensorValue):
        return SparseTensor.from_value(x)
    if isinstance(x, RaggedTensorValue):
        return x.as_tensor()
    return None


def _normalize_as(element, spec):
    if is_structure(spec):
        if isinstance(element, list):
            element = tuple(element)
        nest_items, spec_items = nest._items(element) if is_structure(element) else None, nest._items(spec)
        if nest_items is None or [k for k, _ in nest_items] != [k for k, _ in spec_items]:
            raise ValueError(f"The element {element!r} does not have the structure {spec!r}.")
        return nest.rebuild(spec, [_normalize_as(x, s) for (_, x), (_, s) in zip(nest_items, spec_items, strict=True)])
    if element is None or getattr(element, "_is_composite", False):
        return element
    composite = _composite(element)
    if composite is not None:
        return composite
    if is_structure(element) and not isinstance(element, tuple):
        raise ValueError(f"The element {element!r} does not have the structure {spec!r}.")
    return convert_to_tensor(element, getattr(spec, "dtype", None))


def spec_of(element):
    """The structure of specs of a normalized element."""
    return map_leaves(_leaf_spec, element)


def _leaf_spec(x):
    if isinstance(x, TensorBase) and not getattr(x, "_is_composite", False) and not hasattr(x, "_is_resource_variable"):
        return TensorSpec(x.shape, x.dtype)
    return specs.type_spec_from_value(x)


_PLAIN = {TensorSpec}  # the leaves of most specs


def flat_specs(spec) -> list[TensorSpec]:
    """The TensorSpecs of the flat components."""
    found = nest.flatten(spec)
    if _PLAIN.issuperset(map(type, found)):
        return found
    return nest.flatten(map_specs(_encoding, spec), expand_composites=True)


def _encoding(s):
    """What the values of a spec are encoded as where they are elements: by themselves, unless their class says how."""
    encoder = encoder_of(s)
    return s if encoder is None else nest.map_structure(_encoding, encoder.encoding_specs(s))


def type_attrs(spec) -> dict:
    """The attributes `output_types` and `output_shapes` of the op that makes elements of this spec."""
    flat = flat_specs(spec)
    return {"output_types": [s.dtype for s in flat], "output_shapes": [s.shape._dims for s in flat]}


def to_components(spec, element) -> list:
    """The flat tensors of a normalized element."""
    out: list = []
    _to_components(spec, element, out)
    return out


def _to_components(spec, element, out):
    if is_structure(spec):
        for (_, s), (_, x) in zip(nest._items(spec), nest._items(element), strict=True):
            _to_components(s, x, out)
    elif isinstance(spec, TypeSpec) and spec._is_composite_spec:
        encoder = encoder_of(spec)
        if encoder is not None:
            parts = nest.flatten(encoder.encode(spec, element))
            for s, x in zip(nest.flatten(encoder.encoding_specs(spec)), parts, strict=True):
                _to_components(s, x, out)
        elif not isinstance(spec, NoneTensorSpec):
            out.extend(nest.flatten(spec._to_components(element), expand_composites=True))
    else:
        out.append(element)


def from_components(spec, tensors) -> Any:
    """The inverse of `to_components`."""
    leaves = nest.flatten(spec)
    if _PLAIN.issuperset(map(type, leaves)):
        return nest._pack(spec, iter(tensors), False)
    if any(encoder_of(s) is not None for s in leaves):
        rest = iter(tensors)
        element = nest.pack_sequence_as(spec, [_decoded(s, rest) for s in leaves])
    else:
        element = nest.pack_sequence_as(spec, tensors, expand_composites=True)
    return element if state.graph is None else sized(element)


def _decoded(s, rest):
    """The value of one leaf, from the next tensors of an iterator."""
    encoder = encoder_of(s)
    if encoder is None:
        return nest._pack(s, rest, True)
    parts = encoder.encoding_specs(s)
    return encoder.decode(s, nest.pack_sequence_as(parts, [_decoded(part, rest) for part in nest.flatten(parts)]))


def sized(element):
    """The same element. The shape tensors of its symbolic sparse tensors know the sizes that are static."""
    for x in nest.flatten(element):
        if isinstance(x, SparseTensor):
            x._tell_sizes()
    return element


def packer(spec) -> Callable[[Any], Any]:
    """`from_components` for one spec, prepared: elements come in their thousands."""
    if type(spec) is TensorSpec:
        return lambda tensors: tensors[0]
    if type(spec) is tuple and all(type(s) is TensorSpec for s in spec):
        return tuple
    if type(spec) is dict and all(type(s) is TensorSpec for s in spec.values()):
        order = sorted(spec)
        places = [(k, order.index(k)) for k in spec]
        return lambda tensors: {k: tensors[i] for k, i in places}
    if any(isinstance(s, SparseTensorSpec) or encoder_of(s) is not None for s in nest.flatten(spec)):
        return lambda tensors: from_components(spec, tensors)
    return lambda tensors: nest._pack(spec, iter(tensors), True)


def map_specs(function, *structures):
    """`function` of corresponding specs."""
    return nest.map_structure(function, *structures)


def batched(spec, size: int | None):
    """The spec of `size` elements stacked; None for an unknown number."""

    def leaf(s):
        if hasattr(s, "_batch"):
            return s._batch(size)
        raise TypeError(f"Elements of type {s!r} cannot be batched.")

    return map_specs(leaf, spec)


def composite_leaves(spec) -> list[Leaf] | None:
    """How elements of this spec are joined if some of their tensors are composite; None if all are plain tensors."""
    leaves = nest.flatten(spec)
    if all(isinstance(s, (TensorSpec, NoneTensorSpec)) for s in leaves):
        return None
    return [leaf for s in leaves for leaf in _leaves_of(s)]


def _leaves_of(s) -> list[Leaf]:
    if isinstance(s, RaggedTensorSpec):
        return [Ragged(s.ragged_rank, s.row_splits_dtype.np_dtype)]
    if isinstance(s, SparseTensorSpec):
        return [Sparse()]
    if isinstance(s, TensorSpec):
        return [Dense()]
    parts = s._component_specs if encoder_of(s) is None else _encoding(s)
    return [leaf for part in nest.flatten(parts) for leaf in _leaves_of(part)]


def unbatched(spec):
    """The spec of one row."""

    def leaf(s):
        if hasattr(s, "_unbatch"):
            return s._unbatch()
        raise TypeError(f"Elements of type {s!r} cannot be taken apart into rows.")

    return map_specs(leaf, spec)


def compatible(spec, other, nest=nest) -> bool:
    """Whether `other` (specs) fits `spec`, with the same structure by the rules of the module `nest`."""
    try:
        nest.assert_same_structure(spec, other)
    except (TypeError, ValueError):
        return False
    return all(a.is_compatible_with(b) for a, b in zip(nest.flatten(spec), nest.flatten(other), strict=True))


def common(spec, other):
    """The narrowest structure of specs that admits both; TypeError or ValueError if there is none."""
    nest.assert_same_structure(spec, other)
    return map_specs(lambda a, b: a if a == b else a.most_specific_compatible_type(b), spec, other)
