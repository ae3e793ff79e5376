"""Feature crosses: every combination of the values that several columns have in a row, as one string or one hash."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np

from reflow.core import dtypes
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.strings.elementwise import invalid, vector
from reflow.ops.kernels.strings.hashing import MASK, fingerprint64, fingerprint_cat, siphash
from reflow.ops.registry import NO_GRADIENT, op


def _check_parts(at: int, indices, values, shape) -> None:
    """The three parts of a sparse matrix, the column `at` of a cross."""
    if indices.ndim != 2:
        raise invalid(
            f"Input indices should be a matrix but received shape {rules.text(indices.shape)} at position {at}"
        )
    if indices.shape[1] != 2:
        raise invalid(f"Expected D2 of index to be 2 got {indices.shape[1]} at position {at}")
    if values.ndim != 1:
        raise invalid(f"Input values should be a vector but received shape {rules.text(values.shape)} at position {at}")
    if len(values) != len(indices):
        raise invalid(f"Expected size of values to be {len(indices)} got {len(values)} at position {at}")
    if shape.ndim != 1:
        raise invalid(f"Input shapes should be a vector but received shape {rules.text(shape.shape)} at position {at}")
    if len(shape) != 2:
        raise invalid(f"shape should imply a 2D tensor, but got {rules.text(shape.shape)} at position {at}")


class Column(dict):
    """The values of a column by row: the rows that have some. `rows` counts all of them, which may be billions."""

    def __init__(self, rows: int, entries) -> None:
        super().__init__(entries)
        self.rows = rows


def columns(indices, values, shapes, dense_inputs) -> list[Column]:
    """Sparse columns come first."""
    require.rank(2, **{f"dense_inputs[{i}]": d for i, d in enumerate(dense_inputs)})
    for i, (places, entries, shape) in enumerate(zip(indices, values, shapes, strict=True)):
        _check_parts(i, places, entries, shape)
    counts = [int(s[0]) for s in shapes] + [len(d) for d in dense_inputs]
    rows, found = counts[0] if counts else 0, []
    for i, count in enumerate(counts):
        if count != rows:
            raise invalid(f"Expected batch size {rows} got {count} at position {i}")
    for i, places in enumerate(indices):
        if ((places[:, 0] < 0) | (places[:, 0] >= rows)).any():
            raise invalid(f"An index at position {i} is in no row: there are {rows}")
    for places, entries in zip(indices, values, strict=True):
        column = Column(rows, ())
        for row, value in zip(places[:, 0].tolist(), entries.tolist(), strict=True):
            column.setdefault(row, []).append(value)
        found.append(column)
    return found + [Column(rows, enumerate(d.tolist())) for d in dense_inputs]


def crossed(columns: Sequence[Column], join) -> dict[int, list]:
    """The combinations of each row that has some, in order."""
    rows = sorted(set.intersection(*map(set, columns))) if columns else ()
    return {row: [join(parts) for parts in itertools.product(*(column[row] for column in columns))] for row in rows}


def _sparse(columns: Sequence[Column], join) -> tuple:
    """The combinations as the parts of a sparse matrix."""
    rows = crossed(columns, join)
    indices = np.array([(i, j) for i, row in rows.items() for j in range(len(row))], np.int64).reshape(-1, 2)
    shape = [columns[0].rows if columns else 0, max(map(len, rows.values()), default=0)]
    return indices, [v for row in rows.values() for v in row], np.array(shape, np.int64)


def _text(value) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def cross_shape(f):
    return [(None, 2), (None,), (2,)]


def joined(parts) -> bytes:
    return b"_X_".join(map(_text, parts))


def _limit(num_buckets: int) -> int:
    return num_buckets if num_buckets > 0 else 2**63 - 1


def hashed(hash_key: int, num_buckets: int):
    """The function that makes one number of a combination, below `num_buckets` if that is positive."""
    limit = _limit(num_buckets)

    def join(parts):
        mark = hash_key & MASK
        for part in parts:
            mark = fingerprint_cat(mark, fingerprint64(part) if isinstance(part, bytes) else part & MASK)
        return mark % limit

    return join


@op("SparseCross", shape=cross_shape, grad=NO_GRADIENT, host=True)
def sparse_cross(
    _, indices, values, shapes, dense_inputs, hashed_output, num_buckets, hash_key, out_type, internal_type
):
    """Hashes modulo `num_buckets`, or strings with `_X_` between the values.

    `out_type` says which, whatever `hashed_output` says.
    """
    if internal_type is dtypes.string:
        for what, parts in (("Input values", values), ("Dense inputs", dense_inputs)):
            if any(part.dtype != object for part in parts):
                raise invalid(
                    f"{what} should be of internal type {internal_type.enum} but received {dtypes.int64.enum}"
                )
    join = hashed(hash_key, num_buckets) if out_type.is_integer else joined
    places, found, shape = _sparse(columns(indices, values, shapes, dense_inputs), join)
    return places, np.array(found, np.int64) if out_type.is_integer else vector(found), shape


@op("SparseCrossV2", shape=cross_shape, grad=NO_GRADIENT, host=True)
def sparse_cross_v2(_, indices, values, shapes, dense_inputs, sep):
    if sep.ndim:
        raise invalid(f"Input separator should be a scalar. Received: {sep.tolist()}")
    found = columns(indices, values, shapes, dense_inputs)
    places, texts, shape = _sparse(found, lambda parts: sep[()].join(map(_text, parts)))
    return places, vector(texts), shape


@op("SparseCrossHashed", shape=cross_shape, grad=NO_GRADIENT, host=True)
def sparse_cross_hashed(_, indices, values, shapes, dense_inputs, num_buckets, strong_hash, salt):
    """Numbers below `num_buckets`. A strong hash of strings uses the two words of the salt as its key."""
    require.vector("salt", salt, 2)
    key = [int(word) & MASK for word in salt.reshape(-1).tolist()]
    hash_of = functools.partial(siphash, k0=key[0], k1=key[1]) if bool(strong_hash) else fingerprint64
    limit = _limit(num_buckets.item())

    def join(parts):
        marks = [hash_of(part) if isinstance(part, bytes) else part & MASK for part in parts]
        return functools.reduce(fingerprint_cat, marks) % limit

    places, numbers, shape = _sparse(columns(indices, values, shapes, dense_inputs), join)
    return places, np.array(numbers, np.int64), shape
