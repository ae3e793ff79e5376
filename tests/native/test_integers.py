"""Products of 8-bit integers, summed in 32 bits: those of NumPy, and what is refused."""

import jax
import numpy as np
import pytest

import reflow as tf
from reflow import native

pytestmark = pytest.mark.skipif(
    not native.multiplies_integers(), reason="the processor has no such instruction, or there is no library"
)


def product(x, y, shape):
    call = jax.ffi.ffi_call("reflow_integer_product", jax.ShapeDtypeStruct(shape, np.int32))
    return np.asarray(jax.jit(call)(x, y))


@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 1), (3, 5, 7), (12, 4, 32), (13, 33, 31), (50, 7, 65), (49, 258, 64), (97, 1000, 100), (300, 300, 40)],
)
def test_products_are_exact(sizes):
    rows, depth, columns = sizes
    draw = np.random.default_rng(0)
    x, y = (draw.integers(-128, 128, shape, np.int8) for shape in ((rows, depth), (depth, columns)))
    np.testing.assert_array_equal(product(x, y, (rows, columns)), x.astype(np.int32) @ y.astype(np.int32))


def test_the_largest_numbers_do_not_spill():
    x, y = np.full((3, 5000), -128, np.int8), np.full((5000, 33), -128, np.int8)
    assert (product(x, y, (3, 33)) == 5000 * 128 * 128).all()


WRONG = [((2, 3), (4, 5), (2, 5)), ((2, 3), (3, 5), (2, 4)), ((2, 3, 1), (3, 5), (2, 5)), ((2, 0), (0, 5), (2, 5))]


@pytest.mark.parametrize(("x", "y", "out"), WRONG)
def test_sizes_that_do_not_fit_are_refused(x, y, out):
    with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT"):
        product(np.zeros(x, np.int8), np.zeros(y, np.int8), out)


def test_functions_call_it():
    draw = np.random.default_rng(0)
    x, y = (draw.integers(-128, 128, shape, np.int8) for shape in ((2, 40, 64), (64, 64)))
    matmul = tf.function(lambda x: tf.matmul(x, tf.constant(y), output_type=tf.int32), jit_compile=True)
    np.testing.assert_array_equal(matmul(tf.constant(x)), x.astype(np.int32) @ y.astype(np.int32))
    assert "reflow_integer_product" in matmul.experimental_get_compiler_ir(tf.constant(x))(stage="hlo")
