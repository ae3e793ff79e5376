"""Converts between structured tensors and Python values: dictionaries, and nested lists of them.

A structured tensor stores a value per field; Python stores a dictionary per structure. Lists of dictionaries become
dictionaries of lists, and back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.ragged import constants
from reflow.core.ragged import RaggedTensor, RaggedTensorSpec
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.ops.convert import constant

Path = tuple[str, ...]


def from_python(cls: Any, value: Any, spec: TypeSpec | None, path: Path) -> Any:
    """A Python value as a tensor, a ragged tensor or a structured one of the class `cls`.

    Raises:
      ValueError: the value does not have the form that `spec` says, or has none.
    """
    if isinstance(value, dict):
        return _structure(cls, value, spec, path)
    if not isinstance(value, (list, tuple)):
        return _scalar(value, spec, path)
    names: dict[str, None] = {}
    rank = _depth_of_dictionaries(value, names)
    if rank is None and _is_structured(spec):
        rank = _depth_of_empty_lists(value)
        if rank is None:
            raise _mismatch(value, spec, path)
    return _list(value, spec, path) if rank is None else _structures(cls, value, list(names), rank, spec, path)


def _is_structured(spec: Any) -> bool:
    return hasattr(spec, "_field_specs")


def _mismatch(value: Any, spec: Any, path: Path) -> ValueError:
    return ValueError(f"Value at {path!r} does not match typespec: {spec!r} vs {value!r}")


def _structure(cls: Any, value: dict, spec: Any, path: Path) -> Any:
    if spec is not None and not (_is_structured(spec) and spec.rank == 0 and set(value) == set(spec._fields)):
        raise _mismatch(value, spec, path)
    specs = dict.fromkeys(value) if spec is None else spec._fields
    return cls.from_fields({name: from_python(cls, v, specs[name], (*path, name)) for name, v in value.items()})


def _structures(cls: Any, value: Any, names: list[str], rank: int, spec: Any, path: Path) -> Any:
    fields: dict[str, Any] = {name: _of_field(value, name) for name in names}
    if spec is None:
        shape = TensorShape([None] * rank)
        specs: dict[str, Any] = dict.fromkeys(fields)
    else:
        if not _is_structured(spec) or set(fields) - set(spec._fields):
            raise _mismatch(value, spec, path)
        shape, specs = spec.shape, dict(spec._fields)
        if shape.rank < rank:
            raise ValueError(f"Value at {path!r} does not match typespec (rank mismatch): {value!r} vs {spec!r}")
    if not specs:
        return _without_fields(cls, value, rank)
    try:
        return cls.from_fields(
            {name: from_python(cls, fields.get(name, []), s, (*path, name)) for name, s in specs.items()}, shape
        )
    except Exception as error:
        raise ValueError(f"Error parsing path {path!r}") from error


def _of_field(value: Any, name: str) -> Any:
    """The values of a field of nested lists of dictionaries."""
    return value[name] if isinstance(value, dict) else [_of_field(v, name) for v in value]


def _without_fields(cls: Any, value: Any, rank: int) -> Any:
    if rank == 1:
        return cls.from_fields({}, [len(value)])
    zeros = constants.constant_(_zeros(value))
    return cls.from_fields({}, [len(value)] + [None] * (rank - 1), len(value), zeros._nested_row_partitions)


def _zeros(value: Any) -> Any:
    return 0 if isinstance(value, dict) else [_zeros(v) for v in value]


def _list(value: Any, spec: Any, path: Path) -> Any:
    if spec is not None and not isinstance(spec, (TensorSpec, RaggedTensorSpec)):
        raise _mismatch(value, spec, path)
    try:
        if spec is None:
            return constants.constant_(value)
        if isinstance(spec, RaggedTensorSpec):
            inner = spec.shape[spec.ragged_rank + 1 :]
            return constants.constant_(
                value, spec.dtype, spec.ragged_rank, inner, row_splits_dtype=spec.row_splits_dtype
            )
        found = constant(value, spec.dtype)
    except Exception as error:
        raise ValueError(f"Error parsing path {path!r}") from error
    if not spec.shape.is_compatible_with(found.shape):
        raise _mismatch(value, spec, path)
    return found


def _scalar(value: Any, spec: Any, path: Path) -> Any:
    if spec is not None and not (isinstance(spec, TensorSpec) and spec.shape.rank == 0):
        raise _mismatch(value, spec, path)
    try:
        return constant(value, None if spec is None else spec.dtype)
    except Exception as error:
        raise ValueError(f"Error parsing path {path!r}") from error


def _depth_of_dictionaries(value: Any, names: dict[str, None]) -> int | None:
    """The list nesting depth of dictionaries, or None if there are none; collects their keys."""
    if isinstance(value, dict):
        names.update(dict.fromkeys(value))
        return 0
    if not isinstance(value, (list, tuple)):
        return None
    found = {_depth_of_dictionaries(v, names) for v in value}
    depths = [depth for depth in found if depth is not None]
    if len(depths) > 1:
        raise ValueError("Inconsistent depth of dictionaries")
    return 1 + depths[0] if depths else None


def _depth_of_empty_lists(value: Any) -> int | None:
    """How deep empty lists are nested, or None if something else is in them."""
    if not isinstance(value, list):
        return None
    found = [_depth_of_empty_lists(v) for v in value]
    depths = [depth for depth in found if depth is not None]
    return 1 + max(depths, default=0) if len(depths) == len(found) else None


# --- and back ---------------------------------------------------------------------------------------------------------


def to_python(structured: Any) -> Any:
    """A structured tensor of eager tensors as a dictionary, or as nested lists of dictionaries."""
    fields = {name: _plain(structured.field_value(name)) for name in structured.field_names()}
    if fields or structured.rank == 0:
        return _zipped(fields, structured.rank)
    found: Any = [{} for _ in range(int(_count(structured)))]
    for rows in reversed(structured.row_partitions):
        ends = rows.row_splits().numpy().tolist()
        found = [found[a:b] for a, b in zip(ends, ends[1:], strict=False)]
    return found


def _count(structured: Any) -> Any:
    return structured.row_partitions[-1].nvals() if structured.rank > 1 else structured.nrows()


def _plain(value: Any) -> Any:
    if isinstance(value, RaggedTensor):
        return value.to_list()
    found = value.numpy() if hasattr(value, "numpy") else value.to_pyval()
    return found.tolist() if isinstance(found, np.ndarray) else found


def _zipped(fields: dict[str, Any], depth: int) -> Any:
    """A dictionary of nested lists as nested lists of dictionaries."""
    if depth == 0:
        return fields
    return [_zipped(dict(zip(fields, row, strict=True)), depth - 1) for row in zip(*fields.values(), strict=True)]
