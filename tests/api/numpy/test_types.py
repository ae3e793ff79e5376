"""`reflow/api/numpy/types.py`: what TensorFlow prints for the expressions of `types.txt`."""

import numpy as np

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_sixty_four_bits_can_be_forbidden():
    internal, tnp = tf.__internal__.numpy_dtypes, tf.experimental.numpy
    internal.set_allow_float64(False)
    try:
        assert not internal.is_allow_float64() and internal.default_float_type() is np.float32
        assert tnp.asarray(1.5).dtype == tf.float32 and tnp.result_type(np.complex128) == tf.complex64
    finally:
        internal.set_allow_float64(True)
    assert internal.canonicalize_dtype(np.float64) is np.float64
    internal.set_prefer_float32(True)
    try:
        assert internal.is_prefer_float32() and tnp.asarray([1.5]).dtype == tf.float32
    finally:
        internal.set_prefer_float32(False)


def test_dtypes_may_have_numpys_names():
    assert tf.experimental.numpy.promote_types("i4", np.float32) == np.float64
    assert tf.experimental.numpy.promote_types(tf.bfloat16, tf.float32) == np.float32
