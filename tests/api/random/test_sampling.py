"""Random numbers are TensorFlow's: integers bit for bit, floats to the last place or two."""

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from reflow.ops import philox, random_state
from reflow.ops.kernels.random import sampling
from reflow.ops.xp import host as host_xp
from tools.golden import random_ops as golden


@pytest.fixture(scope="module")
def recorded():
    return dict(np.load(golden.GOLDEN))


def ulps(got, expected):
    """The distance in units of the last place."""
    whole = np.int32 if got.dtype == np.float32 else np.int64
    return np.abs(got.view(whole).astype(np.float64) - expected.view(whole).astype(np.float64)).max(initial=0)


def assert_same(got, expected, name):
    got = np.asarray(tf.cast(got, tf.float32) if got.dtype is tf.bfloat16 else got)
    assert got.shape == expected.shape and got.dtype == expected.dtype, name
    if got.dtype.kind == "f" and got.dtype.itemsize > 2:
        # glibc's logf and sincosf, which TensorFlow calls, are off by up to 0.8 units; a sum with a mean adds another
        assert ulps(got, expected) <= (2 if "scaled" not in name and "normal/" not in name else 8), name
    elif got.dtype.kind == "f":
        np.testing.assert_allclose(got, expected, rtol=2e-3, err_msg=name)
        assert (got != expected).mean() < 0.05 if got.size else True, name
    else:
        np.testing.assert_array_equal(got, expected, err_msg=name)


@pytest.mark.parametrize("group", sorted({name.split("/")[0] for name in golden.cases()}))
def test_same_numbers_as_tensorflow(recorded, group):
    for name, function in golden.cases().items():
        if name.split("/")[0] == group:
            for i, tensor in enumerate(function(tf)):
                assert_same(tensor, recorded[f"{name}#{i}"], name)


def test_uniform_floats_are_exact(recorded):
    for name, function in golden.cases().items():
        if name.startswith("stateless_uniform/"):
            got = function(tf)[0]
            np.testing.assert_array_equal(
                np.asarray(tf.cast(got, tf.float64)), recorded[f"{name}#0"].astype(np.float64)
            )


def test_philox_of_the_paper():
    """The known answers of Random123 for philox4x32-10."""
    ones = np.array(2**64 - 1, np.uint64)
    words = philox.philox(host_xp, ones, ones, ones)
    assert [int(w) for w in words] == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    zero = np.array(0, np.uint64)
    assert [int(w) for w in philox.philox(host_xp, zero, zero, zero)] == [
        0x6627E8D5,
        0xE169C58D,
        0xBC57AC4C,
        0x9B00DBD8,
    ]


@pytest.mark.parametrize("count", [0, 1, philox._FEW, philox._FEW + 1, 1000])
def test_the_fast_generator_is_the_one_on_xp(count):
    low = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    key, high = np.array(0xDEADBEEF12345678, np.uint64), np.array(2**63 + 7, np.uint64)
    fast = philox.philox(host_xp, key, low, high)
    plain = philox.philox(host_xp, _Plain(key), low, high)
    for a, b in zip(fast, plain, strict=True):
        np.testing.assert_array_equal(a, b)


class _Plain(np.ndarray):
    """An array that is not exactly an ndarray, and so takes the way of tracers."""

    def __new__(cls, array):
        return array.view(cls)


def test_counter_carries_into_its_upper_half():
    counter = np.array([2**64 - 2, 3], np.uint64)
    key = np.array([5], np.uint64)
    got = philox.stream(host_xp, key, counter, 4)
    for i in range(4):
        at = philox.counter_array(philox.skip((3 << 64) + 2**64 - 2, i))
        alone = philox.stream(host_xp, key, at, 1)
        assert [int(w[i]) for w in got] == [int(w[0]) for w in alone]


def test_chunks_of_the_host_do_not_show():
    key, counter = philox.scramble(host_xp, np.array([1, 2], np.int32))
    size = (philox._HOST_CHUNK * 4 + 7,)
    for f in (philox.uniform, philox.normal, philox.truncated_normal):
        long = f(host_xp, key, counter, size, philox.F32)
        np.testing.assert_array_equal(long[:50], f(host_xp, key, counter, (50,), philox.F32))
        assert long.shape == size


def test_host_and_xla_agree(in_64_bits):
    import jax

    from reflow.ops.xp import xla as xla_xp

    key, counter = philox.scramble(host_xp, np.array([1, 2], np.int32))
    for f in (philox.uniform, philox.normal, philox.truncated_normal):
        for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
            on_xla = jax.jit(lambda k, c, f=f, d=dtype: f(xla_xp, k, c, (37,), d))(key, counter)
            assert ulps(np.asarray(on_xla), f(host_xp, key, counter, (37,), dtype)) <= 2
    for dtype in (np.dtype(np.int32), np.dtype(np.uint64)):
        on_xla = jax.jit(lambda k, c, d=dtype: philox.full_int(xla_xp, k, c, (9,), d))(key, counter)
        np.testing.assert_array_equal(np.asarray(on_xla), philox.full_int(host_xp, key, counter, (9,), dtype))


def test_set_seed_starts_all_streams_again():
    tf.random.set_seed(3)
    a = [tf.random.uniform([2]).numpy() for _ in range(2)]
    tf.random.set_seed(3)
    b = [tf.random.uniform([2]).numpy() for _ in range(2)]
    np.testing.assert_array_equal(a, b)
    assert (a[0] != a[1]).all()


def test_cells_of_nodes_start_again_with_set_seed():
    cell = random_state.node_cell({"seed": 1, "seed2": 2})
    first = cell.take(10)
    assert (cell.take(1)[1] == [10, 2]).all()
    random_state.set_seed(5)
    assert (cell.take(1)[1] == first[1]).all()


def test_without_seeds_numbers_differ():
    random_state.set_seed(None)
    a, b = (tf.random.uniform([4]).numpy() for _ in range(2))
    assert (a != b).any()


def test_reservations():
    assert sampling.blocks_for_samples((3, 2)) == 6 * 256
    assert sampling.blocks_for_shuffle((11,)) == 3
    assert sampling.blocks_for_shuffle((1, 5)) == 0
    assert sampling.blocks_for_categories((3, 5)) == 3 * 8 * 2 * 256


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.random.uniform([2], 3, 3, tf.int32),
            errors.InvalidArgumentError,
            "Need minval < maxval, got 3 >= 3",
        ),
        (
            lambda: tf.random.stateless_uniform([2], [1, 2], 5, 4, tf.int32),
            errors.InvalidArgumentError,
            "Need minval < maxval, got 5 >= 4",
        ),
        (
            lambda: tf.random.stateless_uniform([2], [1, 2, 3]),
            errors.InvalidArgumentError,
            r"seed must have shape \[2\], not \[3\]",
        ),
        (lambda: tf.random.stateless_uniform([-2], [1, 2]), errors.InvalidArgumentError, "Dimension -2 must be >= 0"),
        (
            lambda: tf.random.categorical([1.0, 2.0], 5),
            errors.InvalidArgumentError,
            r"logits should be a matrix, got shape \[2\]",
        ),
        (lambda: tf.random.uniform([2], dtype=tf.int32), ValueError, "Must specify maxval for integer dtype tf.int32"),
        (lambda: tf.random.uniform([2], dtype=tf.int8), ValueError, "invalid value"),
        (lambda: tf.random.stateless_uniform([2], [1, 2], 0, 5, tf.uint32), ValueError, "unsigned"),
        (lambda: tf.random.stateless_uniform([2], [1, 2], alg="mersenne"), ValueError, "unsupported value mersenne"),
        (lambda: tf.nn.dropout(tf.ones([3]), 1.5), ValueError, "must be a scalar tensor or a float in the range"),
        (lambda: tf.nn.dropout(tf.ones([3], tf.int32), 0.5), ValueError, "must be a floating point tensor"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
