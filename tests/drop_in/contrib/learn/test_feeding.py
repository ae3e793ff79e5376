"""Input functions from arrays."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib
from reflow.drop_in.contrib.learn.feeding import arrays_input_fn

v1 = tf.compat.v1



learn = contrib.learn


def run(input_fn, times):
    with tf.Graph().as_default(), v1.Session() as session:
        made = input_fn()
        session.run(v1.tables_initializer())
        return [session.run(made) for _ in range(times)]


def test_arrays_are_fed_in_batches():
    x, y = np.arange(8.0).reshape(4, 2), np.arange(4)
    ((features, labels),) = run(arrays_input_fn(x, y, None, None, training=False), 1)
    assert features.tolist() == x.tolist() and labels.tolist() == [0, 1, 2, 3]
    rounds = run(arrays_input_fn(x, y, None, 2, training=True), 4)
    assert sorted(np.concatenate([labels for _, labels in rounds[:2]])) == [0, 1, 2, 3]
    ((features, _),) = run(learn.io.numpy_input_fn({"x": x}, y, 4, num_epochs=1), 1)
    assert sorted(features["x"][:, 0]) == [0.0, 2.0, 4.0, 6.0]
    with pytest.raises(ValueError, match="Can not provide both"):
        arrays_input_fn(x, y, lambda: None, None, training=True)
    with pytest.raises(ValueError, match="Either x or input_fn"):
        arrays_input_fn(None, None, None, None, training=True)


def test_columns_are_inferred():
    (column,) = learn.infer_real_valued_columns_from_input(np.zeros([3, 4]))
    assert column.key == "" and column.shape == (4,)
    (other,) = learn.infer_real_valued_columns_from_input_fn(lambda: ({"a": tf.zeros([3, 2])}, tf.zeros([3])))
    assert other.key == "a" and other.shape == (2,)
    with pytest.raises(ValueError, match="Convert to float"):
        learn.infer_real_valued_columns_from_input(np.array([["a"]]))
    with pytest.raises(ValueError, match="to be 2D"):
        learn.infer_real_valued_columns_from_input(np.zeros([3, 2, 2]))


class Table:
    """What is asked of pandas' tables."""

    def __init__(self, values, columns):
        self.values, self.columns = np.array(values), columns


def test_tables_become_arrays():
    assert learn.extract_pandas_data(Table([[1, 2]], ["a", "b"])).dtype == np.float32
    assert learn.extract_pandas_labels(Table([[1], [2]], ["a"])).tolist() == [1, 2]
    with pytest.raises(ValueError, match="Only one column"):
        learn.extract_pandas_labels(Table([[1, 2]], ["a", "b"]))
    assert learn.extract_pandas_data([1]) == [1]
