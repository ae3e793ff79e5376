"""`tf.math` and `tf.linalg`: values, dtypes, gradients at kinks, and errors, as TensorFlow 2.21 gives them."""

import numpy as np
import pytest

import reflow as tf

NAN, INF = float("nan"), float("inf")


def grad(function, *xs):
    """The gradients of a function's sum by each of its arguments, as lists."""
    xs = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    return [None if g is None else g.numpy().tolist() for g in tape.gradient(y, xs)]


# --- dtypes of Python numbers and of division -------------------------------------------------------------------------


def test_python_numbers_take_the_tensors_dtype():
    x = tf.constant([1, 2], tf.int8)
    assert tf.add(x, 1).dtype is tf.int8
    assert tf.multiply(2, tf.constant([1.0], tf.float64)).dtype is tf.float64
    assert tf.where([True, False], tf.constant([1.0, 2.0], tf.float16), 0.0).dtype is tf.float16


@pytest.mark.parametrize("dtype, quotient", [("int8", "float32"), ("uint16", "float32"), ("int32", "float64"),
                                             ("int64", "float64"), ("float16", "float16")])
def test_true_division(dtype, quotient):
    y = tf.divide(tf.constant([7], dtype), tf.constant([2], dtype))
    assert (y.dtype.name, y.numpy().tolist()) == (quotient, [3.5])


def test_mixed_dtypes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32 tensor but is a float tensor"):
        tf.add(tf.constant(1), tf.constant(1.0))
    with pytest.raises(TypeError, match="`x` and `y` must have the same dtype"):
        tf.truediv(tf.constant(1), tf.constant(1.0))


def test_strings_add_and_compare():
    assert tf.add("a", ["b", "c"]).numpy().tolist() == [b"ab", b"ac"]
    assert tf.equal(["a", "b"], "a").numpy().tolist() == [True, False]


# --- values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("got, expected", [
    (lambda: tf.math.floordiv([-7, 7, 5], [2, -2, 3]), [-4, -4, 1]),
    (lambda: tf.math.floormod([-7, 7, 5], [2, -2, 3]), [1, -1, 2]),
    (lambda: tf.truncatediv([-7, 7, 5], [2, -2, 3]), [-3, -3, 1]),
    (lambda: tf.truncatemod([-7, 7, 5], [2, -2, 3]), [-1, 1, 2]),
    (lambda: tf.round([0.5, 1.5, -0.5, 2.6]), [0.0, 2.0, -0.0, 3.0]),
    (lambda: tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]), [0.0, 0.5]),
    (lambda: tf.math.multiply_no_nan([INF, NAN], [0.0, 0.0]), [0.0, 0.0]),
    (lambda: tf.math.xlogy([0.0, 2.0], [0.0, 1.0]), [0.0, 0.0]),
    (lambda: tf.saturate_cast([-5.0, 3e9], tf.int32), [-5, 2147483520]),
    (lambda: tf.saturate_cast([-5, 300], tf.uint8), [0, 255]),
    (lambda: tf.cast([1.9, -1.9], tf.int32), [1, -1]),
    (lambda: tf.clip_by_value([-5, 1, 9], 0, 3), [0, 1, 3]),
    (lambda: tf.argmax([1.0, NAN, 2.0]), 2),
    (lambda: tf.reduce_mean([1, 2, 4]), 2),
    (lambda: tf.reduce_sum(tf.constant([100, 100], tf.int8)), -56),
    (lambda: tf.reduce_max(tf.zeros([0, 2]), 0), [-INF, -INF]),
    (lambda: tf.reduce_sum([[1, 2], [3, 4]], [], keepdims=True), [[1, 2], [3, 4]]),
    (lambda: tf.cumsum([1, 2, 3], exclusive=True, reverse=True), [5, 3, 0]),
    (lambda: tf.math.count_nonzero(["", "a"]), 1),
    (lambda: tf.math.segment_max([1, 2, 3], [0, 0, 2]), [2, 0, 3]),
    (lambda: tf.math.segment_prod([1, 2, 3], [0, 0, 2]), [2, 1, 3]),
    (lambda: tf.math.unsorted_segment_sum([1, 2, 3], [1, -1, 1], 3), [0, 4, 0]),
    (lambda: tf.math.bincount([1, 1, 5], maxlength=3), [0, 2, 0]),
    (lambda: tf.math.bincount([[1, 1], [0, 2]], axis=-1, binary_output=True), [[0, 1, 0], [1, 0, 1]]),
    (lambda: tf.math.confusion_matrix([1, 2, 2], [0, 2, 1]), [[0, 0, 0], [1, 0, 0], [0, 1, 1]]),
    (lambda: tf.where([[True], [False]], [1, 2], 0), [[1, 2], [0, 0]]),
    (lambda: tf.where([0, 3, 0, 4]), [[1], [3]]),
    (lambda: tf.bitwise.right_shift([-8], [1]), [-4]),
    (lambda: tf.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]], [[0], [1]]), [[1, 3], [2, 4]]),
    (lambda: tf.einsum("ab,bc,cd->ad", [[1, 2]], [[3], [4]], [[5]]), [[55]]),
    (lambda: tf.linalg.matvec([[1, 2], [3, 4]], [1, 1], transpose_a=True), [4, 6]),
    (lambda: tf.linalg.diag([[1, 2], [3, 0]], k=(-1, 0), num_rows=2), [[1, 0], [3, 2]]),
    (lambda: tf.linalg.diag_part([[1, 2, 3], [4, 5, 6]], k=(0, 1)), [[2, 6], [1, 5]]),
    (lambda: tf.linalg.set_diag([[1, 2], [3, 4]], [9], k=1), [[1, 9], [3, 4]]),
    (lambda: tf.linalg.band_part([[1, 2], [3, 4]], 0, -1), [[1, 2], [0, 4]]),
    (lambda: tf.norm([[1.0, -2.0], [3.0, -4.0]], 1, axis=[0, 1]), 6.0),
    (lambda: tf.linalg.cross([1, 2, 3], [4, 5, 6]), [-3, 6, -3]),
])
def test_values(got, expected):
    assert got().numpy().tolist() == expected


def test_where_keeps_its_arguments_apart():
    with pytest.raises(ValueError, match="x and y must both be non-None or both be None"):
        tf.where([True], x=[1])


def test_matmul_output_type():
    big = tf.constant([[100, 100]], tf.int8)
    y = tf.matmul(big, big, transpose_b=True, output_type=tf.int32)
    assert (y.dtype, y.numpy().tolist()) == (tf.int32, [[20000]])


def test_short_floats_sum_in_float32():
    ones = tf.ones([1000], tf.bfloat16)
    assert float(tf.reduce_sum(ones)) == 1000
    assert tf.matmul(tf.reshape(ones, [1, -1]), tf.reshape(ones, [-1, 1])).dtype is tf.bfloat16


# --- gradients where they are a matter of convention ----------------------------------------------------------------


@pytest.mark.parametrize("function, xs, expected", [
    (tf.maximum, ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]), [[1, 0, 1], [0, 1, 0]]),
    (tf.minimum, ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]), [[1, 1, 0], [0, 0, 1]]),
    (lambda x: tf.reduce_max(x, 1), ([[1.0, 1.0, 0.0]],), [[[0.5, 0.5, 0]]]),
    (tf.abs, ([-2.0, 0.0, 3.0],), [[-1, 0, 1]]),
    (tf.reduce_prod, ([[1.0, 0.0], [4.0, 3.0]],), [[[0, 12], [0, 0]]]),
    (tf.reduce_prod, ([0.0, 0.0, 3.0],), [[0, 0, 0]]),
    (tf.pow, ([0.0, 2.0], [2.0, 0.0]), [[0, 0], [0, 0.6931471824645996]]),
    (tf.math.divide_no_nan, ([1.0, 2.0], [0.0, 2.0]), [[0, 0.5], [0, -0.5]]),
    (lambda x: tf.clip_by_value(x, -1.0, 1.0), ([-2.0, -1.0, 0.0, 1.0, 2.0],), [[0, 1, 1, 1, 0]]),
    (lambda x: tf.reduce_mean(x, [0, 1]), ([[1.0, 2.0], [3.0, 4.0]],), [[[0.25, 0.25], [0.25, 0.25]]]),
    (lambda x: tf.cumsum(x, exclusive=True), ([1.0, 2.0, 3.0],), [[2, 1, 0]]),
    (lambda x: tf.math.unsorted_segment_max(x, [0, 0, -1], 1), ([2.0, 2.0, 5.0],), [[0.5, 0.5, 0]]),
    (lambda x, y: tf.where([True, False], x, y), ([1.0, 2.0], 3.0), [[1, 0], 1]),
    (tf.floor, ([1.5],), [None]),
    (tf.sign, ([1.5],), [[0]]),
    (lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), ([1.5],), [None]),
    (tf.add, ([[1.0], [2.0]], [1.0, 2.0, 3.0]), [[[3], [3]], [2, 2, 2]]),
    (lambda x: tf.einsum("ij->i", x), ([[1.0, 2.0]],), [[[1, 1]]]),
    (lambda x, y: tf.einsum("ij,kl->ik", x, y), ([[1.0, 2.0]], [[3.0], [4.0]]), [[[7, 7]], [[3], [3]]]),
    (lambda x: tf.linalg.diag_part(x, k=1), ([[1.0, 2.0], [3.0, 4.0]],), [[[0, 1], [0, 0]]]),
])
def test_gradients(function, xs, expected):
    assert grad(function, *xs) == expected


def test_gradients_of_complex_numbers_are_conjugated():
    assert grad(tf.square, [1 + 2j]) == [[2 - 4j]]
    assert grad(tf.multiply, [1 + 2j], [3 - 1j]) == [[3 + 1j], [1 - 2j]]
    assert grad(tf.abs, [2j]) == [[1j]]


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_gradients_of_products(transpose_a, transpose_b):
    """Each product's gradient is the one of the product written without flags."""
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    plain = grad(tf.matmul, a, b)
    flipped = grad(lambda x, y: tf.matmul(x, y, transpose_a, transpose_b=transpose_b),
                   a.T if transpose_a else a, b.T if transpose_b else b)
    got = [np.array(g).T if flag else np.array(g) for g, flag in zip(flipped, (transpose_a, transpose_b), strict=True)]
    for ours, expected in zip(got, plain, strict=True):
        np.testing.assert_array_equal(ours, expected)


def test_gradient_of_cholesky_solve():
    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    by_cholesky = grad(
        lambda x: tf.linalg.cholesky_solve(tf.linalg.cholesky(x), tf.constant([[1.0], [2.0]], tf.float64)), a
    )
    by_solve = grad(lambda x: tf.linalg.solve(x, tf.constant([[1.0], [2.0]], tf.float64)), a)
    symmetric = (np.array(by_solve[0]) + np.array(by_solve[0]).T) / 2
    np.testing.assert_allclose(by_cholesky[0], symmetric, rtol=1e-10)


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_gradient_of_svd_reconstructs(shape):
    """The factors multiply to the input, so the gradient of their product is one everywhere."""
    x = np.random.default_rng(0).normal(size=shape)

    def product(x):
        s, u, v = tf.linalg.svd(x)
        return tf.matmul(u, tf.matmul(tf.linalg.diag(s), v, adjoint_b=True))

    np.testing.assert_allclose(grad(product, x)[0], np.ones(shape), atol=1e-8)


# --- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function, message", [
    (lambda: tf.math.floordiv([1], [0]), "Integer division by zero"),
    (lambda: tf.math.floormod([1], [0]), "Integer division by zero"),
    (lambda: tf.pow(2, -1), "Integers to negative integer powers are not allowed"),
    (lambda: tf.math.unsorted_segment_sum([1, 2], [0, 5], 2), r"segment_ids\[1\] = 5 is out of range \[0, 2\)"),
    (lambda: tf.math.segment_sum([1, 2], [1, 0]), "segment ids are not increasing"),
    (lambda: tf.add([1, 2], [1, 2, 3]), r"Incompatible shapes: \[2\] vs. \[3\]"),
    (lambda: tf.reduce_sum([[1.0]], 3), r"Invalid reduction dimension \(3 for input with 2 dimension\(s\)"),
    (lambda: tf.reduce_sum([[1.0]], [1, 1]), "Axes contains duplicate dimension: 1"),
    (lambda: tf.matmul([[1.0, 2.0]], [[1.0]]), r"Matrix size-incompatible: In\[0\]: \[1,2\], In\[1\]: \[1,1\]"),
    (lambda: tf.sqrt(1), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: tf.linalg.inv([[0.0]]), "Input is not invertible"),
])
def test_errors(function, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        function()
