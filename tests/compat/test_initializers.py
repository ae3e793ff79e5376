"""Zeros, ones and constants of `tf.compat.v1.initializers`.

Their dtype is float32 unless it is given (values as TensorFlow 2.21 has them).
"""

import numpy as np
import pytest

import reflow as tf

v1 = tf.compat.v1


def test_the_dtype_is_given_at_once_or_when_it_is_called():
    for make, value in (
        (v1.zeros_initializer, 0), (v1.ones_initializer, 1), (lambda **k: v1.constant_initializer(3, **k), 3)
    ):
        assert make()([2]).dtype == tf.float32 and make(dtype="int32")([2]).numpy().tolist() == [value] * 2
        assert make(dtype=tf.int32)([1], tf.float64).dtype == tf.float64
    assert v1.zeros_initializer(dtype=tf.string)([2]).numpy().tolist() == [b"", b""]
    assert v1.zeros_initializer.from_config({"dtype": "int32"}).get_config() == {"dtype": "int32"}
    assert v1.constant_initializer(2, verify_shape=True).get_config() == {"value": 2, "dtype": "float32"}
    assert v1.initializers.zeros is v1.zeros_initializer
    with pytest.raises(TypeError, match="Cannot convert 1 to EagerTensor of dtype string"):
        v1.ones_initializer()([2], tf.string)


def test_constants_fit_their_shape():
    assert v1.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    assert v1.constant_initializer(np.ones([2]), tf.int32)([2]).numpy().tolist() == [1, 1]
    with pytest.raises(TypeError, match="has 3 elements, but got `shape`"):
        v1.constant_initializer([1, 2, 3])([2, 2])
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(v1.constant_initializer([1, 2, 3])([2, 2])).tolist() == [[1, 2], [3, 3]]
        for verified in (
            v1.constant_initializer([1, 2, 3], verify_shape=True)([3]),
            v1.constant_initializer([1, 2, 3])([3], verify_shape=True),
        ):
            assert session.run(verified).tolist() == [1, 2, 3]
        with pytest.raises(TypeError, match="shape"):
            v1.constant_initializer([1, 2, 3])([2, 2], verify_shape=True)
    with pytest.raises(TypeError, match="Invalid type for initial value={'a': 1} of type: dict"):
        v1.constant_initializer({"a": 1})


def test_glorot_initializers_from_their_configs():
    for kind in (tf.compat.v1.glorot_uniform_initializer, tf.compat.v1.glorot_normal_initializer):
        made = kind(seed=3)
        assert made.get_config() == kind.from_config(made.get_config()).get_config() == {"seed": 3, "dtype": "float32"}
