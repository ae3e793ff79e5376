"""What tests of `tf.image` share: recorded results, and functions traced for pictures of any size."""

import numpy as np

import reflow as tf
from tests.api.image import image_cases as cases
from tests.ops.golden import Reader

GOLDEN = Reader("image")
#: a rounded factor times values up to 1, through two colour spaces
CLOSE = {"rtol": 2e-5, "atol": 2e-6}


def same(tensors, key):
    """Dtypes and values are those recorded; integers may not differ at all."""
    tensors, recorded = cases.flat(tensors), GOLDEN.records[key]
    assert len(tensors) == len(recorded)
    for tensor, place in zip(tensors, recorded, strict=True):
        dtype, expected = GOLDEN.array(place)
        assert tensor.dtype.name == dtype
        assert tensor.shape == expected.shape
        if tensor.dtype.is_floating:
            np.testing.assert_allclose(tensor.numpy(), expected, **CLOSE)
        else:
            np.testing.assert_array_equal(tensor.numpy(), expected)


ANY = tf.TensorSpec([None, None, None, 3])


def traced(function, *specs):
    return tf.function(function, input_signature=list(specs or (ANY,)))
