"""Gradients of composite tensors that say which of their parts have some. Values are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs import composite_tensor_gradient as gradients

rows = tf.ragged.constant([[1.0, 2.0], [3.0]])


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    __composite_gradient__ = gradients.WithValuesCompositeTensorGradient()

    def with_values(self, values):
        return Masked(values, self.mask)


class Pair(tf.experimental.ExtensionType):
    a: tf.Tensor
    b: tf.Tensor


def test_the_parts_that_gradients_reach():
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]))
    flat = gradients.get_flat_tensors_for_gradients([rows, [tf.constant(1.0)], None, slices])
    assert flat[0].numpy().tolist() == [1.0, 2.0, 3.0] and flat[2] is None and flat[3] is slices
    (replaced,) = gradients.replace_flat_tensors_for_gradients([rows], [tf.constant([5.0, 6.0, 7.0])])
    assert replaced.to_list() == [[5.0, 6.0], [7.0]]
    assert gradients.replace_flat_tensors_for_gradients([rows], [None]) == [None]
    with pytest.raises(
        ValueError, match="Could not pack sequence. Structure had 2 atoms, but flat_sequence had 1 items."
    ):
        gradients.replace_flat_tensors_for_gradients([rows, rows], [None])


def test_a_tape_asks_the_class():
    x = Masked(tf.constant([1.0]), tf.constant([True]))
    assert isinstance(x, gradients.CompositeTensorGradientProtocol)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x.values * 3.0
    found = tape.gradient(y, x)
    assert found.values.numpy().tolist() == [3.0] and found.mask.numpy().tolist() == [True]
    assert tape.gradient(tf.constant(1.0), x) is None


def test_classes_without_gradients_are_refused():
    x = Pair(tf.constant([1.0]), tf.constant([2.0]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x.a * x.b
    with pytest.raises(ValueError, match="Type Pair is not supported as a gradient source or gradient target."):
        tape.gradient(y, x)
    with pytest.raises(ValueError, match="Type SparseTensor is not supported"):
        gradients.get_flat_tensors_for_gradients([tf.sparse.from_dense([1.0])])
