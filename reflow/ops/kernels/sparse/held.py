"""Sparse tensors stored under numbers, so that they can pass through a queue: a map that steps share by name."""

from __future__ import annotations

import itertools
import threading

import numpy as np

from reflow.core.resources import check_container
from reflow.core.types import Array
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.sparse.tensors import check_bounds, check_order
from reflow.ops.kernels.strings.elementwise import invalid
from reflow.ops.registry import NO_GRADIENT, op


class _Held:
    """The tensors of one map, which lives as long as the process."""

    def __init__(self) -> None:
        self.numbers = itertools.count()
        self.tensors: dict[int, tuple[Array, Array, Array]] = {}


_MAPS: dict[tuple[str, str], _Held] = {}
_LOCK = threading.Lock()


def _map(container: str, name: str, default: str) -> _Held:
    """The map of that name; without one, that of the op which adds to it."""
    check_container(container)
    with _LOCK:
        return _MAPS.setdefault((container, name or default), _Held())


def _check(indices: Array, values: Array, shape: Array) -> None:
    require.sparse_parts(indices, values, shape)
    if len(values) != len(indices):
        raise invalid(
            f"Number of values must match first dimension of indices. Got {len(values)} values, indices shape: "
            f"{rules.text(indices.shape)}"
        )


def _add(held: _Held, indices: Array, values: Array, shape: Array) -> int:
    with _LOCK:
        number = next(held.numbers)
        held.tensors[number] = indices, values, shape
        return number


@op("AddSparseToTensorsMap", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True)
def add_sparse(_, sparse_indices, sparse_values, sparse_shape, container="", shared_name=""):
    _check(sparse_indices, sparse_values, sparse_shape)
    held = _map(container, shared_name, "AddSparseToTensorsMap")
    return np.asarray(_add(held, sparse_indices, sparse_values, sparse_shape), np.int64)


@op("AddManySparseToTensorsMap", shape=lambda f: [(None,)], grad=NO_GRADIENT, host=True, effect=True)
def add_many_sparse(_, sparse_indices, sparse_values, sparse_shape, container="", shared_name=""):
    """A number for each row of the tensor."""
    _check(sparse_indices, sparse_values, sparse_shape)
    if sparse_shape.size < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {sparse_shape.size}")
    check_bounds(sparse_indices, sparse_shape)
    check_order(sparse_indices, sparse_shape)
    held = _map(container, shared_name, "AddManySparseToTensorsMap")
    at = np.searchsorted(sparse_indices[:, 0], np.arange(int(sparse_shape[0]) + 1)).tolist()
    rows = [(sparse_indices[a:b, 1:], sparse_values[a:b], sparse_shape[1:]) for a, b in itertools.pairwise(at)]
    return np.array([_add(held, *row) for row in rows], np.int64)


@op(
    "TakeManySparseFromTensorsMap", shape=lambda f: [(None, None), (None,), (None,)], grad=NO_GRADIENT, host=True,
    effect=True,
)
def take_many_sparse(_, sparse_handles, dtype, container="", shared_name=""):
    """The tensors under some numbers as the rows of one; the map forgets them."""
    held = _map(container, shared_name, "")
    taken = []
    with _LOCK:
        for number in sparse_handles.tolist():
            if number not in held.tensors:
                raise invalid(f"Unable to find SparseTensor: {number} in map: {shared_name}")
            taken.append(held.tensors.pop(number))
    ranks = {shape.size for _i, _v, shape in taken}
    if len(ranks) > 1:
        raise invalid(f"Inconsistent rank across SparseTensors: {sorted(ranks)}")
    indices = [np.concatenate([np.full((len(i), 1), row), i], 1) for row, (i, _v, _s) in enumerate(taken)]
    largest = np.max([shape for _i, _v, shape in taken], 0)
    values = np.concatenate([v for _i, v, _s in taken]).astype(dtype.np_dtype)
    return np.concatenate(indices).astype(np.int64), values, np.array([len(taken), *largest], np.int64)
