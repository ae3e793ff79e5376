"""`reflow/data/functions.py`: what TensorFlow prints for the expressions of `functions.txt`; debug mode."""

import reflow as tf
from reflow.data import functions
from tests.expressions import session

test_expressions = session(__file__)


def test_functions_that_give_datasets_run_as_python_in_debug_mode(monkeypatch):
    monkeypatch.setattr(functions.debugging, "on", True)
    seen = []

    def count(x):
        seen.append(x)
        return tf.data.Dataset.range(x)

    numbers = tf.data.Dataset.range(4)
    assert list(numbers.flat_map(count).as_numpy_iterator()) == [0, 0, 1, 0, 1, 2]
    assert [int(x) for x in seen if hasattr(x, "numpy")] == [0, 1, 2, 3]
    grouped = numbers.group_by_window(lambda x: x % 2, lambda key, window: window.batch(2), 2)
    assert [x.tolist() for x in grouped.as_numpy_iterator()] == [[0, 2], [1, 3]]
