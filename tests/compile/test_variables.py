"""Variables in programs: reads, writes, and updates of rows and slices."""

import numpy as np
import pytest

import reflow as tf
from tests.compile.plans import steps_of

ROWS = tf.constant([0, 2, 0])
UPDATES = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def slices():
    return tf.IndexedSlices(UPDATES, ROWS)


WRITES = {
    "assign": lambda v: v.assign(v * 2.0 + 1.0),
    "assign_add": lambda v: v.assign_add(tf.ones([3, 2])),
    "assign_sub": lambda v: v.assign_sub(tf.ones([3, 2])),
    "scatter_add": lambda v: v.scatter_add(slices()),
    "scatter_sub": lambda v: v.scatter_sub(slices()),
    "scatter_max": lambda v: v.scatter_max(slices()),
    "scatter_min": lambda v: v.scatter_min(slices()),
    "scatter_mul": lambda v: v.scatter_mul(slices()),
    "scatter_update": lambda v: v.scatter_update(tf.IndexedSlices(UPDATES[:2], ROWS[:2])),
    "slice": lambda v: v[1:, 0].assign([7.0, 8.0]),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_compiled_write_is_the_eager_one(name):
    start = tf.reshape(tf.range(6.0), [3, 2])
    eager, traced = tf.Variable(start), tf.Variable(start)
    step = tf.function(lambda: (WRITES[name](traced), traced.read_value())[1])
    for _ in range(3):
        WRITES[name](eager)
        np.testing.assert_allclose(step(), eager.numpy(), rtol=1e-6)
    assert [kind for kind, _ in steps_of(step.get_concrete_function().graph)] == ["program"]


def test_reads_of_rows_and_of_the_shape():
    v = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]))
    f = tf.function(lambda i: (v.sparse_read(i), tf.shape(v)))
    for _ in range(3):
        rows, shape = f(tf.constant([2, 0]))
        assert rows.numpy().tolist() == [[4.0, 5.0], [0.0, 1.0]] and shape.numpy().tolist() == [3, 2]


@pytest.mark.parametrize("write", [False, True])
def test_rows_out_of_range_are_told(write):
    v = tf.Variable(tf.zeros([3, 2]))

    @tf.function
    def f(i):
        if write:
            v.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), i))
            return v.read_value()
        return v.sparse_read(i)

    for _ in range(3):
        f(tf.constant([1]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 9 is not in \[0, 3\)"):
            f(tf.constant([9]))


def test_an_update_of_another_shape_is_refused_in_tensorflows_words():
    v = tf.Variable(tf.zeros([2]), shape=tf.TensorShape(None))
    f = tf.function(lambda x: v.assign_add(x), input_signature=[tf.TensorSpec(None)])
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot update variable with shape \[2\]"):
            f(tf.ones([3]))
    assert f(tf.ones([2])).numpy().tolist() == [1.0, 1.0]
