"""`tf.experimental.StructuredTensor`: a tensor whose elements are structures, stored field by field.

A *structure* has a value for each of its *fields*. A structured tensor of shape [D1, …, DN] keeps one tensor, ragged
tensor or structured tensor for each field, whose first N axes are those of the structured tensor. A *path* is a tuple
of names that leads to a field of a field.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.export import export
from reflow.api.framework.batchable_type import (
    BatchableExtensionType,
    ExtensionTypeBatchEncoder,
    batched_spec,
    unbatched_spec,
)
from reflow.api.framework.extension_type import ExtensionType
from reflow.api.ragged import structured_values
from reflow.api.ragged.build import as_values
from reflow.api.ragged.internal import is_ragged
from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.row_partition import RowPartition
from reflow.api.ragged.shape import DynamicRaggedShape
from reflow.core import dtypes, nest
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import TensorShape
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import constant, convert_to_tensor

_NAME = re.compile("[a-zA-Z][a-zA-Z0-9_]*")


class _Encoder(ExtensionTypeBatchEncoder):
    """A batch has the fields and the shape with one more axis."""

    def batch(self, spec, batch_size):
        return _changed_spec(
            spec, lambda s: batched_spec(s, batch_size), TensorShape([batch_size]).concatenate(spec.shape)
        )

    def unbatch(self, spec):
        if spec.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return _changed_spec(spec, unbatched_spec, spec.shape[1:])


def _changed_spec(spec: Any, change: Callable, shape: TensorShape) -> Any:
    rows = DynamicRaggedShape.Spec((), shape, spec._ragged_shape.dtype)
    made: Any = StructuredTensor.Spec
    return made({name: change(field) for name, field in spec._fields.items()}, rows)


@export("experimental.StructuredTensor")
class StructuredTensor(BatchableExtensionType, checked=False):
    """A tensor of structures with the same fields.

    Args:
      fields: The value of each field.
      ragged_shape: The shape, a `tf.experimental.DynamicRaggedShape`.

    >>> people = tf.experimental.StructuredTensor.from_pyval(
    ...     [{"age": 12, "names": ["A"]}, {"age": 82, "names": ["B", "C"]}]
    ... )
    >>> people.shape, people[1]["age"].numpy().item(), people[:, "names"]
    (TensorShape([2]), 82, <tf.RaggedTensor [[b'A'], [b'B', b'C']]>)
    """

    _fields: Mapping[str, Tensor | RaggedTensor | StructuredTensor | ExtensionType]
    _ragged_shape: DynamicRaggedShape
    __name__ = "tf.StructuredTensor"
    __batch_encoder__ = _Encoder()
    FieldName = str | Sequence[str]

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape):
        _teach_public_functions()
        self._fields, self._ragged_shape = fields, ragged_shape

    class Spec:
        """What is known of a structured tensor: the specs of its fields, and of its shape."""

        _fields: Mapping[str, Any]
        _ragged_shape: Any
        shape = _shape = property(lambda self: self._ragged_shape._to_tensor_shape(), doc="What is known of the shape.")
        rank = property(lambda self: self._ragged_shape.rank, doc="The number of axes.")
        _field_specs = property(lambda self: self._fields)

    # --- factories ----------------------------------------------------------------------------------------------------

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Structures without fields."""
        return cls({}, ragged_shape)

    @classmethod
    def from_fields(cls, fields, shape=(), nrows=None, row_partitions=None, validate=False) -> StructuredTensor:
        """From a value for each field.

        >>> tf.experimental.StructuredTensor.from_fields({"x": [1, 2], "y": [[3], [4]]}, [2]).to_pyval()
        [{'x': 1, 'y': [3]}, {'x': 2, 'y': [4]}]

        Args:
          fields: by name, values that agree in the axes of the shape.
          shape: the shape as far as it is known; its rank must be.
          nrows: the number of rows, for structures without fields.
          row_partitions: a `RowPartition` for each axis behind the first, for structures without fields.
          validate: ignored by TensorFlow too; what is known of shapes is always checked.

        Raises:
          TypeError: a name or a value is not of a type that is possible.
          ValueError: shapes differ, or the shape is not known.
        """
        shape = TensorShape(shape)
        if shape.rank is None:
            raise ValueError("StructuredTensor's shape must have known rank.")
        if not isinstance(fields, dict):
            raise TypeError(f"fields must be a dictionary, got {type(fields).__name__}")
        if shape.rank < 2 and row_partitions:
            raise ValueError("row_partitions must be None or [] if shape.rank<2")
        if shape.rank == 0 and nrows is not None:
            raise ValueError("nrows must be None if shape.rank==0")
        partitions = tuple(row_partitions or ())
        if row_partitions is not None and len(partitions) != max(0, shape.rank - 1):
            raise ValueError("len(row_partitions) must be shape.rank-1")
        fields = {_checked_name(name): _field_value(value) for name, value in fields.items()}
        whole = _shape_of_all(fields, shape, nrows, partitions)
        if shape.rank > 1:
            whole = whole._with_num_row_partitions(shape.rank - 1)
        return cls({name: _with_partitions(value, partitions) for name, value in fields.items()}, whole)

    @classmethod
    def from_fields_and_rank(
        cls, fields: Mapping[str, Any], rank: int, validate: bool = False, dtype: dtypes.DType | None = None
    ) -> StructuredTensor:
        """From a value for each field, and the number of axes that belong to the shape.

        >>> tf.experimental.StructuredTensor.from_fields_and_rank({"x": [1, 2], "y": [3, 4]}, 1).shape
        TensorShape([2])
        """
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int):
            raise ValueError("rank must be an integer")
        if rank < 0:
            raise ValueError("rank must be nonnegative")
        fields = {name: _field_value(value) for name, value in fields.items()}
        dtype = dtype or _counted_in(fields.values())
        fields = {name: _with_dtype(value, dtype) for name, value in fields.items()}
        whole = functools.reduce(_merged, _shapes_of_fields(fields, rank, dtype))
        if rank > 1:
            whole = whole._with_num_row_partitions(rank - 1)
        return cls({name: _with_partitions(value, whole.row_partitions) for name, value in fields.items()}, whole)

    @classmethod
    def from_pyval(cls, pyval, typespec=None) -> StructuredTensor:
        """From a dictionary, or a nested list of dictionaries.

        >>> tf.experimental.StructuredTensor.from_pyval({"a": [1, 2], "b": [[3], [4, 5]]})["b"]
        <tf.RaggedTensor [[3], [4, 5]]>
        """
        return structured_values.from_python(cls, pyval, typespec, ())

    # --- what it says -------------------------------------------------------------------------------------------------

    rank = property(lambda self: self._ragged_shape.rank, doc="The number of axes; it is always known.")
    shape = property(lambda self: self._ragged_shape._to_tensor_shape(), doc="The shape as far as it is known.")

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """A row partition for each axis after the first."""
        return () if self.rank < 2 else tuple(self._ragged_shape._as_row_partitions())

    def nrows(self):
        """The size of the first axis, or None for a single structure."""
        return None if self.rank == 0 else self._ragged_shape[0]

    def with_shape_dtype(self, dtype: dtypes.DType) -> StructuredTensor:
        """The same structures, with rows counted in another type."""
        if dtype == self._ragged_shape.dtype:
            return self
        fields = {name: _with_dtype(value, dtype) for name, value in self._fields.items()}
        return StructuredTensor(fields, self._ragged_shape.with_dtype(dtype))

    def field_names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name):
        """The value of a field, or of a path; KeyError if there is none."""
        if not isinstance(field_name, (list, tuple)):
            return self._fields[field_name]
        value = self
        for name in field_name:
            if not isinstance(value, StructuredTensor):
                raise KeyError(f"Field path {field_name} not found in {self}")
            value = value.field_value(name)
        return value

    def __getitem__(self, key):
        """A field of one structure, by name; rows of several, by numbers and slices, optionally followed by a name."""
        keys = tuple(key) if isinstance(key, (list, tuple)) else (key,)
        values: dict[Any, Any] = dict(self._fields)
        if not keys:
            return self
        if self.rank == 0 and keys[0] == slice(None):
            return StructuredTensor.from_fields({name: value[keys[1:]] for name, value in values.items()}, self.shape)
        if len(keys) > self.rank:
            name, rest = keys[self.rank], keys[: self.rank] + keys[self.rank + 1 :]
            if not isinstance(name, (str, bytes)):
                full = " or a full slice (':')" if self.rank == 0 else ""
                raise ValueError(f"Key for indexing a StructuredTensor must be a string{full}")
            return values[name][rest] if rest else values[name]
        fields = {name: value[keys] for name, value in values.items()}
        sizes = list(zip(keys, self.shape.as_list(), strict=False))
        for k, _ in sizes:
            if not isinstance(k, (slice, int, Tensor)):
                raise ValueError(
                    "Slicing not supported for tf.newaxis" if k is None else f"Slicing not supported for {k!r}"
                )
        left = [size if k == slice(None) else None for k, size in sizes if isinstance(k, slice)]
        return StructuredTensor.from_fields(fields, left + self.shape.as_list()[len(keys) :])

    def __repr__(self):
        shown = (
            f'"{name}": ' + str(value).replace("\n", "\n            ") for name, value in sorted(self._fields.items())
        )
        inside = ",\n        ".join(shown)
        return f"<StructuredTensor(\n    fields={{\n        {inside}}},\n    shape={self.shape})>"

    def to_pyval(self):
        """A dictionary, or a nested list of dictionaries.

        >>> tf.experimental.StructuredTensor.from_fields({"a": [1, 2]}, [2]).to_pyval()
        [{'a': 1}, {'a': 2}]
        """
        if not all(isinstance(t, EagerTensor) for t in nest.flatten(self, expand_composites=True)):
            raise ValueError("StructuredTensor.to_pyval() is only supported in eager mode.")
        return structured_values.to_python(self)

    # --- other structures ---------------------------------------------------------------------------------------------

    def with_updates(self, updates: Mapping[Any, Any], validate: bool = False) -> StructuredTensor:
        """The same structures with other values of some fields.

        >>> people = tf.experimental.StructuredTensor.from_pyval({"age": 12, "shoes": {"sizes": [8]}})
        >>> people.with_updates({"age": None, ("shoes", "sizes"): lambda sizes: sizes + 1}).to_pyval()
        {'shoes': {'sizes': [9]}}

        Args:
          updates: by a name or a path, a new value, a function from the old to the new one, or None for a field to
            remove.
          validate: as in `from_fields`.

        Raises:
          ValueError: a field to change or to remove, or one that should hold a new one, is not there; a field and a
            part of it change.
        """
        paths = sorted(((name,) if isinstance(name, str) else tuple(name), value) for name, value in updates.items())
        for (first, _), (second, _) in zip(paths, paths[1:], strict=False):
            if second[: len(first)] == first:
                raise ValueError(
                    "`StructuredTensor.with_updates` does not allow both parent and child nodes to be updated: "
                    f"parent={first}, child={second}. If needed you can update child nodes in the parent update value."
                )
        return self._updated((), paths)

    def _updated(self, above: tuple[str, ...], paths: list[tuple[tuple[str, ...], Any]]) -> StructuredTensor:
        fields: dict[str, Any] = dict(self._fields)
        where = "`StructuredTensor.with_updates`"
        for path, value in paths:
            if not path or not path[0]:
                raise ValueError(f"{where} does not allow empty names {(*above, path)}.")
            name, rest = path[0], path[1:]
            if rest:
                if not isinstance(fields.get(name), StructuredTensor):
                    lacks = f"field {(*above, name)} is not set" if name not in fields else (
                        f"structure {(*above, name)} is not a `StructuredTensor` that can contain sub-structures -- it "
                        f"is a `{type(fields[name])}`"
                    )  # fmt: skip
                    raise ValueError(f"{where} cannot create new sub-field {(*above, *path)} if parent {lacks}.")
                fields[name] = fields[name]._updated((*above, name), [(rest, value)])
            elif value is None or callable(value):
                if name not in fields:
                    what = "delete field" if value is None else "apply a transforming function to the field"
                    raise ValueError(f"{where} cannot {what} {(*above, name)} because it is not present.")
                old = fields.pop(name)
                if value is not None:
                    fields[name] = value(old)
            else:
                fields[name] = value
        try:
            return StructuredTensor.from_fields(fields, self.shape, self.nrows(), self.row_partitions)
        except ValueError as error:
            raise ValueError(f"{where} failed" + (f" for field {above}" if above else "")) from error

    def promote(self, source_path, new_name) -> StructuredTensor:
        """A field of a field also as a field of what is around, without the axes between them.

        >>> docs = tf.experimental.StructuredTensor.from_pyval(
        ...     [{"docs": [{"n": [1, 2]}, {"n": [3]}]}, {"docs": [{"n": [7]}]}]
        ... )
        >>> docs.promote(("docs", "n"), "all")[:, "all"]
        <tf.RaggedTensor [[1, 2, 3], [7]]>
        """
        if not isinstance(new_name, str):
            raise ValueError("new_name is not a string")
        if not isinstance(source_path, (list, tuple)):
            raise ValueError("source_path must be a list or tuple")
        if len(source_path) < 2:
            raise ValueError("source_path must have length at least two")
        path = tuple(source_path)
        value, outer, inner = self.field_value(path), self.field_value(path[:-2]).rank, self.field_value(path[:-1]).rank
        if value.shape.rank is None:
            raise ValueError("Cannot determine if dimensions should be merged.")
        last = min(inner, value.shape.rank - 1)
        return self.with_updates({(*path[:-2], new_name): _with_merged(value, outer, last) if last > outer else value})

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """The first axis cut into rows.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> tf.experimental.StructuredTensor.from_pyval(
        ...     [{"n": 1}, {"n": 2}, {"n": 3}]
        ... ).partition_outer_dimension(rows).to_pyval()
        [[{'n': 1}, {'n': 2}], [], [{'n': 3}]]
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError("row_partition must be a RowPartition.")
        if self.rank == 0:
            raise ValueError(f"Shape {self.shape} must have rank at least 1")
        flat = self._ragged_shape._with_num_row_partitions(self.rank - 1)
        fields = {name: _cut(value, row_partition) for name, value in self._fields.items()}
        return StructuredTensor(fields, DynamicRaggedShape((row_partition, *flat.row_partitions), flat.inner_shape))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """The axes from one to another as one axis.

        >>> tf.experimental.StructuredTensor.from_pyval([[{"n": 1}, {"n": 2}], [{"n": 3}]]).merge_dims(0, 1).to_pyval()
        [{'n': 1}, {'n': 2}, {'n': 3}]
        """
        outer = positive_axis(outer_axis, self.rank, "outer_axis", "rank(self)")
        inner = positive_axis(inner_axis, self.rank, "inner_axis", "rank(self)")
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})")
        return _with_merged(self, outer, inner)


# --- values of fields -------------------------------------------------------------------------------------------------


@functools.cache
def _teach_public_functions() -> None:
    from reflow.api.ragged import structured_arrays

    structured_arrays.install()


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"Unexpected type for key in `fields`: {name}")
    if not _NAME.fullmatch(name):
        raise ValueError(f"Field name {name!r} is not currently allowed.")
    return name


def _field_value(value: Any) -> Any:
    if isinstance(value, (Tensor, RaggedTensor, ExtensionType)):
        return value
    try:
        return as_values(value) if is_ragged(value) else convert_to_tensor(value)
    except (ValueError, TypeError) as error:
        raise TypeError(f"Unexpected type for value in `fields`: {value!r}") from error


def _with_partitions(value: Any, partitions: Sequence[RowPartition]) -> Any:
    """A value whose first axes after the outermost are these row partitions, which equal its own."""
    if isinstance(value, StructuredTensor) and partitions:
        fields = {name: _with_partitions(v, partitions) for name, v in value._fields.items()}
        return StructuredTensor.from_fields(
            fields, value.shape, value.nrows(), (*partitions, *value.row_partitions[len(partitions) :])
        )
    if not isinstance(value, RaggedTensor) or not partitions:
        return value
    return RaggedTensor._from_row_partition(
        _with_partitions(value.values, partitions[1:]), partitions[0], validate=False
    )


def _with_dtype(value: Any, dtype: dtypes.DType) -> Any:
    if isinstance(value, RaggedTensor):
        return value.with_row_splits_dtype(dtype)
    return value.with_shape_dtype(dtype) if isinstance(value, StructuredTensor) else value


def _cut(value: Any, rows: RowPartition) -> Any:
    if isinstance(value, StructuredTensor):
        return value.partition_outer_dimension(rows)
    if isinstance(value, RaggedTensor) or rows.uniform_row_length() is None:
        return RaggedTensor._from_row_partition(value, rows, validate=False)
    sizes = arrange.stack([rows.nrows(), rows.uniform_row_length()])
    return arrange.reshape(value, arrange.concat([sizes, arrange.shape(value, out_type=rows.dtype)[1:]], 0))


def _with_merged(value: Any, outer: int, inner: int) -> Any:
    """A value with the axes from `outer` to `inner` as one."""
    if isinstance(value, RaggedTensor):
        return value.merge_dims(outer, inner)
    if isinstance(value, Tensor):
        sizes = arrange.shape(value)
        return arrange.reshape(value, arrange.concat([sizes[:outer], [-1], sizes[inner + 1 :]], 0))
    shape = value._ragged_shape
    places = shape._add_row_partitions(creation.zeros(shape.inner_shape))  # one number for each structure
    fields = {name: _with_merged(v, outer, inner) for name, v in value._fields.items()}
    return StructuredTensor(fields, DynamicRaggedShape.from_tensor(_with_merged(places, outer, inner), shape.dtype))


# --- shapes -----------------------------------------------------------------------------------------------------------


def _counted_in(values: Any, others: Sequence[Any] = ()) -> dtypes.DType:
    """The type in which rows are counted: int32 only if nothing is counted in int64."""
    kinds = [v.row_splits.dtype for v in values if isinstance(v, RaggedTensor)]
    kinds += [v._ragged_shape.dtype for v in values if isinstance(v, StructuredTensor)]
    kinds += [x.dtype for x in others if isinstance(x, (Tensor, RowPartition))]
    return dtypes.int32 if dtypes.int32 in kinds and dtypes.int64 not in kinds else dtypes.int64


def _shapes_of_fields(fields: Mapping[str, Any], rank: int, dtype: dtypes.DType) -> list[DynamicRaggedShape]:
    found = []
    for name, value in fields.items():
        try:
            found.append(DynamicRaggedShape.from_tensor(_with_dtype(value, dtype), dtype)[:rank])
            if found[-1].rank != rank:
                raise ValueError(f"it has {found[-1].rank} axes instead of {rank}")
            functools.reduce(_merged, found)
        except Exception as error:
            raise ValueError(f"Error in shape of {name}") from error
    return found


def _shape_of_all(
    fields: dict, shape: TensorShape, nrows: Any, partitions: Sequence[RowPartition]
) -> DynamicRaggedShape:
    """The shape on which fields, the static shape, the number of rows and row partitions agree."""
    rank, dtype = len(shape), _counted_in(fields.values(), (nrows, *partitions))
    of_sizes: Callable = functools.partial(DynamicRaggedShape._from_inner_shape, dtype=dtype)
    if rank == 0:
        return of_sizes(constant([], dtype))
    known = [of_sizes(constant(shape.as_list(), dtype))] if shape.is_fully_defined() else []
    known += _shapes_of_fields(fields, rank, dtype)
    if rank == 1 and nrows is not None:
        known.append(of_sizes(arrange.reshape(nrows, [1])))
    if partitions:
        known.append(DynamicRaggedShape.from_row_partitions(partitions, dtype=dtype))
    if not known:
        given = "`nrows`, a fully specified `shape`, or have `fields` if `rank=1`" if rank == 1 else (
            "row_partitions, a fully specified shape, or have fields if rank > 1")  # fmt: skip
        raise ValueError(f"Must specify {given}")
    return functools.reduce(_merged, known)


def _merged(a: DynamicRaggedShape, b: DynamicRaggedShape) -> DynamicRaggedShape:
    """What two descriptions of one shape say together."""
    rank = a._known_rank()
    if rank == 0:
        return a
    if rank == 1:
        return DynamicRaggedShape(
            [], a.inner_shape, static_inner_shape=a.static_inner_shape.merge_with(b.static_inner_shape)
        )
    a, b = (shape._with_num_row_partitions(rank - 1) for shape in (a, b))
    rows = [p._merge_precomputed_encodings(q) for p, q in zip(a.row_partitions, b.row_partitions, strict=True)]
    return DynamicRaggedShape(
        rows, a.inner_shape, static_inner_shape=a.static_inner_shape.merge_with(b.static_inner_shape)
    )
