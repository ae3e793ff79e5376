"""`reflow/drop_in/python/distribute/numpy_dataset.py`: arrays in variables, and datasets of their rows."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.distribute import numpy_dataset

v1 = tf.compat.v1
X = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_variables_get_the_values(monkeypatch):
    variable = v1.Variable(np.zeros_like(X))
    numpy_dataset.init_var_from_numpy(variable, X, None)
    assert variable.numpy().tolist() == X.tolist()
    for size in (1, 30, 1 << 20):  # bytes: one row at a time, some rows, all
        monkeypatch.setattr(numpy_dataset, "_FED", size)
        with tf.Graph().as_default(), v1.Session() as session:
            variable = v1.Variable(np.zeros_like(X))
            numpy_dataset.init_var_from_numpy(variable, X, session)
            assert session.run(variable.value()).tolist() == X.tolist()


@pytest.mark.parametrize("graph", [False, True])
def test_a_dataset_of_rows(graph):
    place, arrays = numpy_dataset.SingleDevice("/cpu:0"), {"a": X, "b": np.arange(4)}
    if not graph:
        rows = list(numpy_dataset.one_host_numpy_dataset(arrays, place, None).as_numpy_iterator())
        assert [row["a"].tolist() for row in rows] == X.tolist() and [row["b"] for row in rows] == [0, 1, 2, 3]
        return
    with tf.Graph().as_default(), v1.Session() as session:
        iterator = v1.data.make_initializable_iterator(numpy_dataset.one_host_numpy_dataset(arrays, place, session))
        element = iterator.get_next()
        session.run(iterator.initializer)
        assert session.run(element)["a"].tolist() == [0.0, 1.0, 2.0]
