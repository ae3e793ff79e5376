"""Fingerprints of pipelines: equal for equal pipelines, also in another process, and different after any change.

Everything that defines a dataset goes into one hash: classes, parameters, arrays, and the graphs of functions without
their names.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from reflow.core.dtypes import DType
from reflow.core.tensor import HostObject
from reflow.data.engine.values import DatasetValue, Function


def fingerprint(dataset: DatasetValue) -> int:
    """64 bits of hash."""
    digest = hashlib.blake2b(digest_size=8)
    _add(digest, dataset)
    return int.from_bytes(digest.digest(), "little")


def _add(digest, x: Any):
    digest.update(type(x).__name__.encode() + b"\0")
    if isinstance(x, np.ndarray):
        digest.update(repr((str(x.dtype), x.shape)).encode())
        digest.update(repr(x.tolist()).encode() if x.dtype == object else np.ascontiguousarray(x).tobytes())
    elif isinstance(x, Function):
        _add_graph(digest, x.graph)
        _add(digest, x.captured)
    elif isinstance(x, DatasetValue):
        for name, value in sorted(vars(x).items()):
            if name not in ("memory", "order", "_origin", "recipe"):  # caches, and where the dataset comes from
                digest.update(name.encode())
                _add(digest, value)
    elif isinstance(x, (list, tuple)):
        for item in x:
            _add(digest, item)
    elif isinstance(x, dict):
        for key, value in sorted(x.items(), key=lambda pair: str(pair[0])):
            digest.update(str(key).encode())
            _add(digest, value)
    elif hasattr(x, "nodes"):
        _add_graph(digest, x)
    elif hasattr(x, "seeds"):  # a seed generator
        _add(digest, [x.seeds, x.fresh])
    elif hasattr(x, "shape") and not isinstance(x, HostObject):
        _add(digest, np.asarray(x))
    elif x is None or isinstance(x, (bool, int, float, str, bytes, range, DType)):
        digest.update(repr(x).encode())


def _add_graph(digest, graph):
    """Ops, attributes and edges; tensors by the order in which they appear."""
    numbers = {id(t): i for i, t in enumerate(graph.inputs)}
    for node in graph.nodes:
        digest.update(node.record.name.encode())
        _add(digest, [numbers.setdefault(id(t), len(numbers)) for t in node.inputs])
        _add(digest, {k: v for k, v in node.attrs.items() if k not in ("name", "shared_name", "container")})
        for t in node.outputs:
            numbers.setdefault(id(t), len(numbers))
    _add(digest, [numbers.setdefault(id(t), len(numbers)) for t in graph.outputs])
