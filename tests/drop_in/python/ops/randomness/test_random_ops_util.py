"""Algorithms of random numbers, with TensorFlow's keys and counters."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.randomness import random_ops_util as util


def test_algorithms():
    assert [util.convert_alg_to_int(alg) for alg in ("PHI_LOX", util.Algorithm.THREEFRY, 3)] == [1, 2, 3]
    with pytest.raises(ValueError, match="Argument `alg` got unsupported value zz"):
        util.convert_alg_to_int("zz")
    with pytest.raises(TypeError, match="Can't convert argument `alg`"):
        util.convert_alg_to_int(1.5)
    assert "Supported values are 1 for the Philox" in util.unsupported_alg_error_msg(9)


def test_keys_and_counters():
    seed = tf.constant([1, 2])
    philox = [10413732777507651514], [0, 17830669156045600267]
    for alg in (1, 3):
        assert tuple(t.numpy().tolist() for t in util._get_key_counter(seed, alg)) == philox
    assert [t.numpy().tolist() for t in util._get_key_counter(seed, 2)] == [[8589934593], [0]]
    assert util.get_key_counter_alg(seed, "philox")[2] == 1
    with pytest.raises(ValueError, match="unsupported value 9"):
        util._get_key_counter(seed, 9)
