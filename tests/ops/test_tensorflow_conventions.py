"""Where NumPy, JAX and TensorFlow disagree, Reflow does what TensorFlow does: dtypes, empty reductions, NaN, ties and
kinks of gradients,
complex gradients, errors that depend on values. Each holds at once, in an interpreted and in a compiled function.
"""
# ruff: noqa: E501 - a case is one line

import warnings

import numpy as np
import pytest

import reflow as tf

I32_MIN = -(2**31)
INVALID = tf.errors.InvalidArgumentError
NAN, INF = float("nan"), float("inf")


def everywhere(function, *arrays):
    """The result of a function of tensors: at once, and from three calls of a `tf.function`, which must agree."""
    inputs = [tf.constant(a) for a in arrays]
    first = function(*inputs)
    traced = tf.function(function)
    for _ in range(3):
        again = traced(*inputs)
        assert again.dtype == first.dtype and again.shape == first.shape
        np.testing.assert_allclose(np.asarray(again.numpy(), np.complex128), np.asarray(first.numpy(), np.complex128), rtol=1e-5)
    return first


def same(function, arrays, expected, dtype):
    result = everywhere(function, *arrays)
    assert result.dtype == dtype
    np.testing.assert_allclose(np.asarray(result.numpy(), np.complex128), np.asarray(expected, np.complex128), rtol=1e-6)


def bf16(values):
    return np.asarray(values).astype(tf.bfloat16.as_numpy_dtype)


# --- dtypes

DTYPES = {
    "sum int32": (lambda x: tf.reduce_sum(x), [np.array([1, 2], np.int32)], 3, tf.int32),
    "sum int8 wraps": (lambda x: tf.reduce_sum(x), [np.array([100, 100], np.int8)], -56, tf.int8),
    "prod int8": (lambda x: tf.reduce_prod(x), [np.array([2, 3], np.int8)], 6, tf.int8),
    "cumsum int8": (lambda x: tf.cumsum(x), [np.array([1, 2, 3], np.int8)], [1, 3, 6], tf.int8),
    "mean int32 truncates": (lambda x: tf.reduce_mean(x), [np.array([1, 2, 2], np.int32)], 1, tf.int32),
    "mean negative int32": (lambda x: tf.reduce_mean(x), [np.array([-1, -2, -2], np.int32)], -1, tf.int32),
    "sum of a thousand bfloat16 ones": (lambda x: tf.reduce_sum(x), [bf16(np.ones(1000))], 1000, tf.bfloat16),
    "matmul bfloat16": (lambda x: tf.matmul(x, x), [bf16(np.ones((2, 2)))], [[2, 2], [2, 2]], tf.bfloat16),
    "clip bfloat16": (lambda x: tf.clip_by_value(x, 0, 2), [bf16([-1, 1, 3])], [0, 1, 2], tf.bfloat16),
    "einsum bfloat16": (lambda x: tf.einsum("ij,jk->ik", x, x), [bf16(np.ones((2, 2)))], [[2, 2], [2, 2]], tf.bfloat16),
    "int32 / int32": (lambda x, y: x / y, [np.array([1, 3], np.int32), np.array([2, 2], np.int32)], [0.5, 1.5], tf.float64),
    "int8 / int8": (lambda x, y: x / y, [np.array([1, 3], np.int8), np.array([2, 2], np.int8)], [0.5, 1.5], tf.float32),
    "searchsorted": (lambda s, v: tf.searchsorted(s, v), [np.array([1.0, 2.0]), np.array([1.5])], [1], tf.int32),
    "searchsorted int64": (lambda s, v: tf.searchsorted(s, v, out_type=tf.int64), [np.array([1.0, 2.0]), np.array([1.5])], [1], tf.int64),
    "argmax": (lambda x: tf.argmax(x), [np.array([1.0, 3.0])], 1, tf.int64),
    "size": (lambda x: tf.size(x), [np.zeros((2, 3))], 6, tf.int32),
}


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name):
    same(*DTYPES[name])


@pytest.mark.parametrize("name", ["sqrt", "exp", "sin", "tanh"])
def test_float_functions_refuse_integers(name):
    with pytest.raises((INVALID, TypeError)):
        getattr(tf, name)(tf.constant([1, 4]))


def test_sums_of_booleans_are_refused():
    with pytest.raises((INVALID, TypeError)):
        tf.reduce_sum(tf.constant([True, False]))


def test_no_promotion():
    with pytest.raises(INVALID, match="cannot compute AddV2 as input #1"):
        tf.constant(1.0) + tf.constant(1)
    with pytest.raises(INVALID, match="cannot compute Mul as input #1"):
        tf.constant(1.0) * tf.constant(1.0, tf.float64)


def test_python_numbers_take_the_dtype_of_the_tensor():
    assert (tf.constant([1.0], tf.bfloat16) * 2).dtype == tf.bfloat16
    assert (2 ** tf.constant([1], tf.int64)).dtype == tf.int64
    with pytest.raises(TypeError):
        tf.constant([1]) * 2.5


# --- empty, NaN, signed zero

VALUES = {
    "max of nothing": (lambda x: tf.reduce_max(x), [np.zeros(0, np.float32)], -INF, tf.float32),
    "min of nothing": (lambda x: tf.reduce_min(x), [np.zeros(0, np.float32)], INF, tf.float32),
    "max of no integers": (lambda x: tf.reduce_max(x), [np.zeros(0, np.int32)], I32_MIN, tf.int32),
    "max of no rows": (lambda x: tf.reduce_max(x, 0), [np.zeros((0, 2), np.float32)], [-INF, -INF], tf.float32),
    "sum of nothing": (lambda x: tf.reduce_sum(x), [np.zeros(0, np.float32)], 0, tf.float32),
    "prod of nothing": (lambda x: tf.reduce_prod(x), [np.zeros(0, np.float32)], 1, tf.float32),
    "mean of nothing": (lambda x: tf.reduce_mean(x), [np.zeros(0, np.float32)], NAN, tf.float32),
    "argmax skips NaN": (lambda x: tf.argmax(x), [np.array([1, NAN, 2], np.float32)], 2, tf.int64),
    "argmin skips NaN": (lambda x: tf.argmin(x), [np.array([1, NAN, 2], np.float32)], 0, tf.int64),
    "argmax first of ties": (lambda x: tf.argmax(x), [np.array([1, 2, 2], np.float32)], 1, tf.int64),
    "0 / 0": (lambda x, y: x / y, [np.float32([0, 1, -1]), np.float32([0, 0, 0])], [NAN, INF, -INF], tf.float32),
    "log": (lambda x: tf.math.log(x), [np.float32([-1, 0])], [NAN, -INF], tf.float32),
    "round to even": (lambda x: tf.round(x), [np.float32([0.5, 1.5, 2.5, -0.5])], [0, 2, 2, 0], tf.float32),
    "floor division": (lambda x, y: x // y, [np.int32([7, -7]), np.int32([2, 2])], [3, -4], tf.int32),
    "floor remainder": (lambda x, y: x % y, [np.int32([7, -7]), np.int32([-3, 3])], [-2, 2], tf.int32),
    "truncated remainder": (lambda x, y: tf.truncatemod(x, y), [np.int32([7, -7]), np.int32([-3, 3])], [1, -1], tf.int32),
    "0 * inf, no nan": (lambda x, y: tf.math.multiply_no_nan(x, y), [np.float32([INF, NAN]), np.float32([0, 0])], [0, 0], tf.float32),
    "x / 0, no nan": (lambda x, y: tf.math.divide_no_nan(x, y), [np.float32([1, 0]), np.float32([0, 0])], [0, 0], tf.float32),
    "xlogy": (lambda x, y: tf.math.xlogy(x, y), [np.float32([0, 0]), np.float32([0, -1])], [0, 0], tf.float32),
    "one_hot out of range": (lambda i: tf.one_hot(i, 2), [np.int32([-1, 1, 5])], [[0, 0], [0, 1], [0, 0]], tf.float32),
    "slices are clipped": (lambda x: x[1:100], [np.int32([1, 2, 3])], [2, 3], tf.int32),
    "segment of nothing, max": (lambda x: tf.math.unsorted_segment_max(x, [0], 2), [np.float32([5])], [5, np.finfo(np.float32).min], tf.float32),
    "segments drop negative ids": (lambda x: tf.math.unsorted_segment_sum(x, [-1, 0], 1), [np.float32([5, 7])], [7], tf.float32),
    "cast truncates": (lambda x: tf.cast(x, tf.int32), [np.float32([-1.9, 1.9])], [-1, 1], tf.int32),
    "cast to bool": (lambda x: tf.cast(x, tf.bool), [np.float32([0, 0.5, -2])], [0, 1, 1], tf.bool),
    "top_k ties keep order": (lambda x: tf.math.top_k(x, 3)[1], [np.float32([1, 2, 2, 1])], [1, 2, 0], tf.int32),
    "sign": (lambda x: tf.sign(x), [np.float32([-2, 0, 3, NAN])], [-1, 0, 1, NAN], tf.float32),
    "maximum propagates NaN": (lambda x, y: tf.maximum(x, y), [np.float32([NAN, 1]), np.float32([1, NAN])], [NAN, NAN], tf.float32),
    "shift beyond": (lambda x: tf.bitwise.left_shift(x, 1), [np.int8([64, -128])], [-128, 0], tf.int8),
    "integer overflow wraps": (lambda x: x + x, [np.int32([2**31 - 1])], [-2], tf.int32),
    "abs of the least integer": (lambda x: tf.abs(x), [np.int32([I32_MIN])], [I32_MIN], tf.int32),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    same(*VALUES[name])


def test_a_result_without_dimensions_is_a_tensor():
    """NumPy would make it a scalar; `.numpy()` gives one, as TensorFlow's does."""
    total = tf.reduce_sum(tf.constant([1.0, 2.0]))
    assert isinstance(total, tf.Tensor) and total.shape == ()
    assert isinstance(total.numpy(), np.float32)


def test_no_warnings():
    """Overflow, 1/0 and log(-1) are silent, and the user's own NumPy settings stay as they are."""
    before = np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = tf.constant([-1.0, 0.0, 1e38])
        for result in (tf.math.log(x), 1.0 / x, x * x, tf.sqrt(x), tf.cast(x, tf.float16), tf.exp(x), tf.constant([127], tf.int8) + 1):
            result.numpy()
    assert np.geterr() == before


# --- errors that depend on values

ERRORS = {
    "x // 0": (lambda x, y: x // y, [np.int32([1]), np.int32([0])]),
    "x % 0": (lambda x, y: x % y, [np.int32([1]), np.int32([0])]),
    "integer pow of -1": (lambda x, y: tf.pow(x, y), [np.int32([2]), np.int32([-1])]),
    "gather beyond": (lambda x, i: tf.gather(x, i), [np.float32([1, 2, 3]), np.int32([5])]),
    "gather -1": (lambda x, i: tf.gather(x, i), [np.float32([1, 2, 3]), np.int32([-1])]),
    "gather_nd beyond": (lambda x, i: tf.gather_nd(x, i), [np.float32([1, 2, 3]), np.int32([[3]])]),
    "index beyond": (lambda x, i: x[i], [np.float32([1, 2, 3]), np.int32(5)]),
    "scatter beyond": (lambda i, u: tf.scatter_nd(i, u, [3]), [np.int32([[3]]), np.float32([1])]),
    "update beyond": (lambda x, i, u: tf.tensor_scatter_nd_update(x, i, u), [np.float32([1, 2, 3]), np.int32([[3]]), np.float32([1])]),
    "label beyond": (lambda y, x: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x), [np.int32([3]), np.float32([[1, 2, 3]])]),
    "segment beyond": (lambda x, i: tf.math.unsorted_segment_sum(x, i, 2), [np.float32([1]), np.int32([2])]),
    "singular": (lambda x: tf.linalg.inv(x), [np.float32([[1, 1], [1, 1]])]),
    "reshape does not fit": (lambda x, s: tf.reshape(x, s), [np.float32([1, 2, 3]), np.int32([2, 2])]),
    "top_k too long": (lambda x, k: tf.math.top_k(x, k), [np.float32([1, 2]), np.int32(3)]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    """The same class at once and in every call of a function, interpreted and compiled."""
    function, arrays = ERRORS[name]
    inputs = [tf.constant(a) for a in arrays]
    with pytest.raises(INVALID):
        function(*inputs)
    specs = [tf.TensorSpec([None] * t.shape.rank, t.dtype) for t in inputs]
    traced = tf.function(function, input_signature=specs)
    for _ in range(3):
        with pytest.raises(INVALID):
            traced(*inputs)


def test_embedding_lookup_raises_in_a_function():
    """A wrong vocabulary size must not train silently."""
    table = tf.Variable(tf.ones([4, 2]))

    @tf.function
    def lookup(ids):
        return tf.reduce_sum(tf.nn.embedding_lookup(table, ids))

    for _ in range(3):
        lookup(tf.constant([0, 3]))
    with pytest.raises(INVALID, match="is not in"):
        lookup(tf.constant([0, 4]))


# --- gradients at ties and kinks, and of complex functions

GRADIENTS = {
    "maximum ties go left": (lambda x, y: tf.maximum(x, y), [np.float32([1, 2]), np.float32([1, 3])], [[1, 0], [0, 1]]),
    "minimum ties go left": (lambda x, y: tf.minimum(x, y), [np.float32([1, 2]), np.float32([1, 3])], [[1, 1], [0, 0]]),
    "reduce_max shares ties": (lambda x: tf.reduce_max(x), [np.float32([1, 3, 3, 3])], [[0, 1 / 3, 1 / 3, 1 / 3]]),
    "reduce_min shares ties": (lambda x: tf.reduce_min(x, 0), [np.float32([1, 1, 3])], [[0.5, 0.5, 0]]),
    "relu at 0": (lambda x: tf.nn.relu(x), [np.float32([-1, 0, 1])], [[0, 0, 1]]),
    "relu6 at 0 and 6": (lambda x: tf.nn.relu6(x), [np.float32([0, 3, 6])], [[0, 1, 0]]),
    "leaky_relu at 0": (lambda x: tf.nn.leaky_relu(x, 0.25), [np.float32([-1, 0, 1])], [[0.25, 0.25, 1]]),
    "elu at 0": (lambda x: tf.nn.elu(x), [np.float32([0, 1])], [[1, 1]]),
    "abs at 0": (lambda x: tf.abs(x), [np.float32([-2, 0, 2])], [[-1, 0, 1]]),
    "sqrt at 0": (lambda x: tf.sqrt(x), [np.float32([0, 4])], [[INF, 0.25]]),
    "norm at 0": (lambda x: tf.norm(x), [np.float32([0, 0])], [[NAN, NAN]]),
    "euclidean norm": (lambda x: tf.math.reduce_euclidean_norm(x), [np.float32([3, 4])], [[0.6, 0.8]]),
    "pow at base 0": (lambda x, y: tf.pow(x, y), [np.float32([0, 2]), np.float32([2, 2])], [[0, 4], [0, 4 * np.log(2)]]),
    "clip at the edges": (lambda x: tf.clip_by_value(x, -1.0, 1.0), [np.float32([-2, -1, 0, 1, 2])], [[0, 1, 1, 1, 0]]),
    "round has none": (lambda x: tf.round(x) + x, [np.float32([0.4])], [[1]]),
    "sign is flat": (lambda x: tf.sign(x), [np.float32([2, 0])], [[0, 0]]),
    "floordiv is flat": (lambda x, y: x // y + x, [np.float32([5]), np.float32([2])], [[1], [0]]),
    "floormod": (lambda x, y: x % y, [np.float32([5]), np.float32([2])], [[1], [-2]]),
    "sqrt at 0 behind where": (lambda x: tf.where(x > 0, tf.sqrt(x), 0.0), [np.float32([4, 0])], [[0.25, 0]]),
    "divide_no_nan": (lambda x, y: tf.math.divide_no_nan(x, y), [np.float32([1, 1]), np.float32([0, 2])], [[0, 0.5], [0, -0.25]]),
    "prod with a zero": (lambda x: tf.reduce_prod(x), [np.float32([0, 2, 3])], [[6, 0, 0]]),
    "prod with two zeros": (lambda x: tf.reduce_prod(x), [np.float32([0, 0, 3])], [[0, 0, 0]]),
    "segment max shares ties": (lambda x: tf.math.unsorted_segment_max(x, [0, 0, 1], 2), [np.float32([2, 2, 1])], [[0.5, 0.5, 1]]),
    "max_pool takes the first": (lambda x: tf.nn.max_pool1d(x, 2, 2, "VALID"), [np.float32([[[1], [1]]])], [[[[1], [0]]]]),
    "top_k": (lambda x: tf.math.top_k(x, 1)[0], [np.float32([2, 2, 1])], [[1, 0, 0]]),
    "z squared": (lambda z: z * z, [np.complex64([1 + 2j])], [[2 - 4j]]),
    "z ** 2": (lambda z: z**2, [np.complex64([1 + 2j])], [[2 - 4j]]),
    "square": (lambda z: tf.square(z), [np.complex64([1 + 2j])], [[2 - 4j]]),
    "abs of complex": (lambda z: tf.abs(z), [np.complex64([3 + 4j])], [[0.6 + 0.8j]]),
    "conj": (lambda z: tf.math.conj(z), [np.complex64([1 + 2j])], [[1]]),
    "real": (lambda z: tf.math.real(z), [np.complex64([1 + 2j])], [[1]]),
    "imag": (lambda z: tf.math.imag(z), [np.complex64([1 + 2j])], [[1j]]),
    "exp of complex": (lambda z: tf.exp(z), [np.complex64([1j])], [[np.conj(np.exp(1j))]]),
    "product of complex": (lambda z, w: z * w, [np.complex64([1 + 1j]), np.complex64([2 - 1j])], [[2 + 1j], [1 - 1j]]),
    "complex from parts": (lambda x, y: tf.complex(x, y), [np.float32([1]), np.float32([2])], [[1], [0]]),
    "cast to complex": (lambda x: tf.cast(x, tf.complex64) * 1j, [np.float32([2])], [[0]]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    """Tape around eager code, tape around a function, tape inside a function (interpreted, then compiled)."""
    function, arrays, expected = GRADIENTS[name]
    inputs = [tf.constant(a) for a in arrays]

    def gradient(call):
        def of(*xs):
            with tf.GradientTape() as tape:
                tape.watch(xs)
                y = call(*xs)
            return tape.gradient(y, list(xs), unconnected_gradients="zero")

        return of

    inside = tf.function(gradient(function))
    for grads in (gradient(function)(*inputs), gradient(tf.function(function))(*inputs), *[inside(*inputs) for _ in range(3)]):
        for got, wanted in zip(grads, expected):
            np.testing.assert_allclose(np.asarray(got.numpy(), np.complex128), np.asarray(wanted, np.complex128), rtol=1e-5, atol=1e-7)


def test_second_order():
    x = tf.constant([0.5, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(x) * x**3)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    a = np.array([0.5, 2.0])
    t = np.tanh(a)
    np.testing.assert_allclose(first.numpy(), (1 - t**2) * a**3 + 3 * t * a**2, rtol=1e-5)
    np.testing.assert_allclose(second.numpy(), -2 * t * (1 - t**2) * a**3 + 6 * (1 - t**2) * a**2 + 6 * t * a, rtol=1e-5)


def test_gather_gradient_is_sparse():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [1, 1])
    grad = tape.gradient(y, x)
    assert isinstance(grad, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(grad).numpy(), [[0, 0], [2, 2]])


def test_integers_have_no_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32)
    assert tape.gradient(y, x) is None


def test_eager_kernels_take_a_vector_of_one_number_for_an_axis():
    assert tf.raw_ops.Concat(concat_dim=[0], values=[[1], [2]]).numpy().tolist() == [1, 2]
    assert tf.raw_ops.ConcatV2(values=[[1], [2]], axis=[0]).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis must be one number, but got shape \[2\]"):
        tf.raw_ops.ConcatV2(values=[[1], [2]], axis=[0, 0])
