"""Input functions: features and labels of an estimator, from arrays, tables, or a user function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.data_iterators import make_initializable_iterator
from reflow.compat.train.session_run_hook import SessionRunHook
from reflow.core import nest
from reflow.data.dataset import DatasetV2 as Dataset


class InitializeIterator(SessionRunHook):
    """Begins a dataset when a session is made."""

    def __init__(self, iterator: Any) -> None:
        self._initializer = iterator.initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


def called(function: Callable, **offered: Any) -> Any:
    """Call a function with those of the offered arguments that it takes."""
    parameters = inspect.signature(function).parameters.values()
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
    names = {p.name for p in parameters}
    return function(**{name: value for name, value in offered.items() if takes_all or name in names})


def features_and_labels(
    input_fn: Callable, mode: str, params: Any, config: Any, replicas: int = 1
) -> tuple[list, list]:
    """What an input function gives: for each replica a pair of features and labels or None; and hooks that must run."""
    options = {"mode": mode, "config": config}
    if params:
        options["params"] = params
    result = called(input_fn, **options)
    if isinstance(result, Dataset):
        iterator = make_initializable_iterator(result)
        get_default_graph().add_to_collection(GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return [_pair(batch) for batch in _in_order(iterator, replicas)], [InitializeIterator(iterator)]
    if replicas > 1:
        raise ValueError("input_fn() must return a tf.data.Dataset when using a tf.distribute.Strategy.")
    return [_pair(result)], []


def _in_order(iterator: Any, count: int) -> list:
    """The next elements of an iterator, in the order of the dataset."""
    found: list[Any] = []
    for _ in range(count):
        with control_dependencies(nest.flatten(found[-1:])):
            found.append(iterator.get_next())
    return found


def _pair(result: Any) -> tuple[Any, Any]:
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError(f"input_fn should return (features, labels) as a len 2 tuple.  Received: {result}")
        return result[0], result[1]
    return result, None


def _batches(
    data: Any, count: int, batch_size: int, num_epochs: int | None, shuffle: bool, capacity: int, seed=None
) -> Any:
    examples = Dataset.from_tensor_slices(data)
    if shuffle:
        examples = examples.shuffle(min(max(capacity, batch_size), max(count, 1)), seed=seed)
    examples = examples.repeat(num_epochs).batch(batch_size)
    iterator = make_initializable_iterator(examples)
    get_default_graph().add_to_collection(GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def _check_shuffle(shuffle: Any) -> None:
    if shuffle not in (True, False) or shuffle is None:
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for "
            f"training); got {shuffle}"
        )


@export("estimator.inputs.numpy_input_fn", "compat.v1.estimator.inputs.numpy_input_fn")
def numpy_input_fn(
    x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1
) -> Callable[[], Any]:
    """An input function for arrays: `x` an array or a dictionary of them, `y` labels of the same form.

    Batches are drawn over the ends of epochs. With `shuffle`, up to `queue_capacity` examples wait to be drawn from.
    Arrays are in memory: `num_threads` changes nothing here.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = {"age": np.array([1.0, 2.0, 3.0])}
    ...     features = tf.compat.v1.estimator.inputs.numpy_input_fn(x, batch_size=2, shuffle=False)()
    ...     session.run(tf.compat.v1.tables_initializer())
    ...     session.run(features)["age"].tolist()
    [1.0, 2.0]
    """
    _check_shuffle(shuffle)

    def input_fn():
        if not isinstance(x, (dict, np.ndarray)):
            raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
        if isinstance(x, dict) and not x:
            raise ValueError("x cannot be an empty dict")
        if isinstance(y, dict) and not y:
            raise ValueError("y cannot be empty dict, use None instead.")
        arrays = [
            *(x.values() if isinstance(x, dict) else [x]),
            *(y.values() if isinstance(y, dict) else [y] if y is not None else []),
        ]
        lengths = {len(array) for array in arrays}
        if len(lengths) > 1:
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y must have the same length.\n"
                f"Shapes in x: {_shapes(x)}\nShapes in y: {_shapes(y)}\n"
            )
        data = x if y is None else (x, y)
        return _batches(data, len(arrays[0]), batch_size, num_epochs, shuffle, queue_capacity)

    return input_fn


def _shapes(value: Any) -> Any:
    return {k: v.shape for k, v in value.items()} if isinstance(value, dict) else getattr(value, "shape", None)


@export("estimator.inputs.pandas_input_fn", "compat.v1.estimator.inputs.pandas_input_fn")
def pandas_input_fn(
    x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1, target_column="target"
) -> Callable[[], Any]:
    """An input function for a pandas `DataFrame`: each column is a feature. Labels `y` are a `Series`, or a `DataFrame`
    of several.

    >>> with tf.Graph().as_default():
    ...     try:
    ...         tf.compat.v1.estimator.inputs.pandas_input_fn(None)
    ...     except ValueError as error:
    ...         print(str(error)[:24])
    shuffle must be provided
    """
    _check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise ValueError("target_column must be a string type")

    def input_fn():
        if y is not None and not np.array_equal(x.index, y.index):
            raise ValueError("Index for x and y are mismatched.")
        features = {name: np.asarray(x[name].values) for name in x.columns}
        labels: Any = None
        if hasattr(y, "columns"):
            labels = {name: np.asarray(y[name].values) for name in y.columns}
        elif y is not None:
            labels = np.asarray(y.values)
        data = features if labels is None else (features, labels)
        return _batches(_plain(data), len(x), batch_size, num_epochs, shuffle, queue_capacity)

    return input_fn


def _plain(data: Any) -> Any:
    """Columns of Python strings as arrays of bytes."""
    if isinstance(data, tuple):
        return tuple(map(_plain, data))
    if isinstance(data, dict):
        return {name: _plain(array) for name, array in data.items()}
    return data.astype(str) if data.dtype == object else data
