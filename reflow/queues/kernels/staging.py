"""Ops on staging areas and staging maps (`reflow/queues/staging.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.core.types import Array
from reflow.ops import shape_rules as rules
from reflow.queues import staging
from reflow.queues.kernels.queues import queue_op
from reflow.queues.queues import invalid


def _unknown(f):
    return [None] * len(f.attrs["dtypes"])


def _staging_op(kind: type, name: str, shape=rules.no_outputs, **facts: Any):
    """Register an op whose kernel takes the area that its attributes name."""

    def register(kernel):
        def on_area(_, *operands, capacity=0, memory_limit=0, container="", shared_name="", dtypes=(), **attrs):
            found = staging.area(kind, container, shared_name, capacity, memory_limit)
            return kernel(
                found, *operands, **({"width": len(dtypes)} if "width" in kernel.__code__.co_varnames else {})
            )

        queue_op(name, shape, by_session=True, **facts)(on_area)
        return kernel

    return register


def _size(found) -> Array:
    return np.asarray(len(found), np.int32)


def _clear(found) -> tuple:
    found.clear()
    return ()


# --- lines ------------------------------------------------------------------------------------------------------------


@_staging_op(staging.StagingArea, "Stage", overlaps=True)
def _put(found, values):
    found.put(values)
    return ()


@_staging_op(staging.StagingArea, "Unstage", _unknown, overlaps=True)
def _get(found):
    return tuple(found.get())


@_staging_op(staging.StagingArea, "StagePeek", _unknown, overlaps=True)
def _peek(found, index):
    if index.ndim:
        raise invalid("index must be scalar")
    return tuple(found.peek(int(index)))


_staging_op(staging.StagingArea, "StageSize", rules.scalar)(_size)
_staging_op(staging.StagingArea, "StageClear")(_clear)


# --- maps -------------------------------------------------------------------------------------------------------------


def _number(key: Array) -> int:
    if key.ndim:
        raise invalid("key must be an int64 scalar")
    return int(key)


def _map_put(found, key, indices, values, width):
    number = _number(key)
    if len(values) != indices.size:
        raise invalid(f"Number of values ({len(values)}) and indices ({indices.size}) must be equal")
    found.put(number, indices.reshape(-1).tolist(), values, width)
    return ()


def _map_peek(found, key, indices):
    return tuple(found.peek(_number(key), indices.reshape(-1).tolist()))


def _map_get(found, key, indices):
    return tuple(found.get(_number(key), indices.reshape(-1).tolist())[1])


def _map_get_any(found, indices):
    key, parts = found.get(None, indices.reshape(-1).tolist())
    return np.asarray(key, np.int64), *parts


def _incomplete_size(found):
    return np.asarray(len(found.incomplete), np.int32)


for _prefix, _kind in (("Map", staging.StagingMap), ("OrderedMap", staging.OrderedStagingMap)):
    _staging_op(_kind, f"{_prefix}Stage", overlaps=True)(_map_put)
    _staging_op(_kind, f"{_prefix}Peek", _unknown, overlaps=True)(_map_peek)
    _staging_op(_kind, f"{_prefix}Unstage", _unknown, overlaps=True)(_map_get)
    _staging_op(_kind, f"{_prefix}UnstageNoKey", lambda f: [(), *_unknown(f)], overlaps=True)(_map_get_any)
    _staging_op(_kind, f"{_prefix}Size", rules.scalar)(_size)
    _staging_op(_kind, f"{_prefix}IncompleteSize", rules.scalar)(_incomplete_size)
    _staging_op(_kind, f"{_prefix}Clear")(_clear)
