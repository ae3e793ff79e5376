"""Gradients as `tf.contrib.eager` gave them."""

import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib


def test_gradients_of_contrib_eager():
    eager, v = contrib.eager, tf.Variable(3.0)
    ((gradient, of),) = eager.implicit_gradients(lambda x: v * v * x)(2.0)
    assert gradient.numpy() == 12.0 and of is v
    value, gradients = eager.value_and_gradients_function(lambda a, b: a * b, params=["b"])(2.0, 5.0)
    assert value.numpy() == 10.0 and [g.numpy() for g in gradients] == [2.0]
    assert eager.gradients_function(lambda x: x * x)(3.0)[0].numpy() == 6.0
    with pytest.raises(ValueError, match="No trainable variables"):
        eager.implicit_gradients(lambda x: x)(tf.constant(1.0))


def test_networks_and_iterators():
    eager = contrib.eager

    class Net(eager.Network):
        def __init__(self):
            super().__init__()
            self.dense = self.track_layer(
                tf.compat.v1.layers.Dense(1, kernel_initializer=tf.compat.v1.ones_initializer())
            )

        def call(self, x):
            return self.dense(x)

    net = Net()
    assert net(tf.ones([1, 3])).numpy().tolist() == [[3.0]] and len(net.variables) == len(net.trainable_weights) == 2
    pairs = eager.implicit_gradients(lambda x: tf.reduce_sum(net(x)))(tf.ones([1, 3]))
    assert {v.name.rpartition("/")[2] for _, v in pairs} == {"kernel:0", "bias:0"}
    batches = eager.Iterator(tf.data.Dataset.range(2))
    assert [int(batches.next()), int(next(batches))] == [0, 1]
    with pytest.raises(StopIteration):
        batches.next()
    with pytest.raises(NotImplementedError, match="needs a method `call`"):
        eager.Network()(1)
