"""Input functions of `tf.contrib.learn`: from arrays, and from tables of pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.drop_in.contrib.columns import real_valued_column
from reflow.estimator.input_functions import numpy_input_fn as _numpy_input_fn
from reflow.estimator.input_functions import pandas_input_fn as _pandas_input_fn
from reflow.graph.graph import Graph


def numpy_input_fn(
    x, y=None, batch_size=128, num_epochs=1, shuffle=True, queue_capacity=1000, num_threads=1
) -> Callable[[], Any]:
    """An input function for a dictionary of arrays; by default they are mixed."""
    return _numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def pandas_input_fn(
    x, y=None, batch_size=128, num_epochs=1, shuffle=True, queue_capacity=1000, num_threads=1, target_column="target"
) -> Callable[[], Any]:
    """An input function for a table of pandas; by default its rows are mixed."""
    return _pandas_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column)


def extract_pandas_data(data: Any) -> Any:
    """The numbers of a table of pandas as a matrix; other things as they are."""
    return np.asarray(data.values, np.float32) if hasattr(data, "columns") else data


def extract_pandas_labels(labels: Any) -> Any:
    """The values of a column of pandas; other things as they are."""
    if hasattr(labels, "columns"):
        if len(labels.columns) > 1:
            raise ValueError("Only one column for labels is allowed.")
        return np.asarray(labels.values).ravel()
    return np.asarray(labels.values) if hasattr(labels, "values") and not isinstance(labels, dict) else labels


def arrays_input_fn(
    x: Any, y: Any, input_fn: Callable | None, batch_size: int | None, training: bool
) -> Callable[..., Any]:
    """The input function of `fit(x, y)` and its relatives, or the one that was given.

    A batch is everything unless `batch_size` says otherwise. Training goes round for ever in a random order, the rest
    once.
    """
    if input_fn is not None:
        if x is not None or y is not None or batch_size is not None:
            raise ValueError("Can not provide both input_fn and x, y or batch_size.")
        return input_fn
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    features, labels = _array(extract_pandas_data(x)), None if y is None else _array(extract_pandas_labels(y))
    count = len(next(iter(features.values())) if isinstance(features, dict) else features)
    return _numpy_input_fn(features, labels, batch_size or count, None if training else 1, training, max(1000, count))


def _array(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _array(value) for name, value in data.items()}
    return data if isinstance(data, np.ndarray) else np.asarray(list(data) if hasattr(data, "__next__") else data)


def infer_real_valued_columns_from_input(x: Any) -> list:
    """Columns for a matrix of numbers, or for a dictionary of such."""
    features = _array(extract_pandas_data(x))
    named = features if isinstance(features, dict) else {"": features}
    return [_column(name, values.shape[1:], values.dtype.kind) for name, values in named.items()]


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> list:
    """Columns for the features of an input function, all of which must be numbers."""
    with Graph().as_default():
        features = input_fn()
        features = features[0] if isinstance(features, tuple) else features
        named = features if isinstance(features, dict) else {"": features}
        return [
            _column(name, tensor.shape[1:].as_list(), np.dtype(tensor.dtype.as_numpy_dtype).kind)
            for name, tensor in named.items()
        ]


def _column(name: str, shape: Any, kind: str) -> Any:
    if kind not in "fiub":
        raise ValueError(
            f"on integer or non floating types are not supported. Convert to float, or use columns for {name!r}."
        )
    if len(shape) > 1:
        raise ValueError(
            "Expected data feature tensor to be 2D, such that the last dimension is the number "
            f"of features; got {shape}."
        )
    return real_valued_column(name, int(shape[0]) if len(shape) else 1)
