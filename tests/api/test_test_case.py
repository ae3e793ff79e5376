"""`tf.test.TestCase`: assertions that hold and assertions that fire."""

import numpy as np
import pytest

import reflow as tf

case = tf.test.TestCase()


def test_what_holds_is_silent():
    case.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0 + 1e-8])
    case.assertAllEqual(tf.constant([[1, 2]]), np.array([[1, 2]]))
    case.assertAllClose({"a": tf.constant(1.0), "b": [2.0]}, {"a": 1.0, "b": [2.0]})
    case.assertAllClose((tf.constant(5.0), tf.zeros([2])), (5.0, np.zeros([2])))
    case.assertShapeEqual(np.zeros([2, 3]), tf.zeros([2, 3]))
    case.assertAllInRange(tf.constant([0.1, 0.9]), 0.0, 1.0)
    case.assertNotAllClose([1.0], [2.0])
    case.assertAllGreater([2.0], 1.0)


@pytest.mark.parametrize(
    "check",
    [
        lambda: case.assertAllClose([1.0], [1.1]),
        lambda: case.assertAllClose([1.0], [1.0, 1.0]),
        lambda: case.assertAllClose((5.0, np.zeros([2])), (5.0, np.ones([2]))),
        lambda: case.assertAllEqual([1, 2], [1, 3]),
        lambda: case.assertShapeEqual(np.zeros([2]), tf.zeros([3])),
        lambda: case.assertAllInRange([2.0], 0.0, 1.0),
        lambda: case.assertNotAllClose([1.0], [1.0]),
        lambda: case.assertAllClose({"a": 1.0}, {"b": 1.0}),
    ],
)
def test_what_does_not_hold_fails(check):
    with pytest.raises(AssertionError):
        check()


def test_tensors_as_arrays_and_a_folder():
    assert case.evaluate({"x": tf.constant([1, 2])})["x"].tolist() == [1, 2]
    folder = case.get_temp_dir()
    assert case.get_temp_dir() == folder
    with case.session() as session:
        assert session is None


def test_errors_of_ops():
    with case.assertRaisesOpError("not in"):
        tf.gather([1], 3)
