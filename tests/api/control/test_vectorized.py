"""`reflow/api/control/vectorized.py`: what TensorFlow prints for the expressions of `vectorized.txt`;
and batches of extension types."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_extension_types_are_batched():
    class Particle(tf.experimental.BatchableExtensionType):
        mass: tf.Tensor
        velocity: tf.Tensor

    particles = Particle(tf.constant([1.0, 2.0]), tf.constant([[1.0, 3.0], [2.0, 4.0]]))
    assert tf.vectorized_map(lambda p: p.mass * p.velocity, particles).numpy().tolist() == [[1.0, 3.0], [4.0, 8.0]]
    for run in (tf.vectorized_map, tf.function(tf.vectorized_map)):
        found, number = run(lambda x: (Particle(x, tf.stack([x, -x])), x + 1.0), tf.constant([1.0, 2.0]))
        assert found.velocity.numpy().tolist() == [[1.0, -1.0], [2.0, -2.0]] and number.numpy().tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="cannot stack the RaggedTensors"):
        tf.vectorized_map(lambda x: tf.RaggedTensor.from_row_lengths([x], [1]), tf.constant([1.0]))
