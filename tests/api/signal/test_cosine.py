"""`reflow/api/signal/cosine.py`: transforms against their sums of cosines, and back again; what they refuse."""

import numpy as np
import pytest

import reflow as tf


def sums(x, kind):
    """The transform by its definition."""
    n = len(x)
    k, j = np.arange(n)[:, None], np.arange(n)
    if kind == 1:
        weights = np.where((j == 0) | (j == n - 1), 1.0, 2.0)
        return (weights * np.cos(np.pi * j * k / (n - 1))) @ x
    if kind == 3:
        return (np.where(j == 0, 1.0, 2.0) * np.cos(np.pi * j * (2 * k + 1) / (2 * n))) @ x
    return 2 * np.cos(np.pi * ((2 * k + 1) / 2 if kind == 4 else k) * (2 * j + 1) / (2 * n)) @ x


X = np.random.RandomState(0).rand(5)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_transforms(kind):
    np.testing.assert_allclose(tf.signal.dct(X, kind), sums(X, kind), 1e-9)
    back = tf.signal.idct(tf.signal.dct(X, kind), kind)
    np.testing.assert_allclose(back, X * (2 * (len(X) - 1) if kind == 1 else 2 * len(X)), 1e-9)
    if kind > 1:
        turned = tf.signal.dct(X, kind, norm="ortho")
        np.testing.assert_allclose(np.linalg.norm(turned), np.linalg.norm(X))
        np.testing.assert_allclose(tf.signal.idct(turned, kind, norm="ortho"), X, 1e-9)


def test_other_lengths():
    np.testing.assert_allclose(tf.signal.dct(X, n=3), sums(X[:3], 2), 1e-9)
    np.testing.assert_allclose(tf.signal.dct(X, n=8), sums(np.pad(X, [0, 3]), 2), 1e-9)
    unknown = tf.function(lambda x: tf.signal.dct(x, n=8), input_signature=[tf.TensorSpec([None], tf.float64)])
    np.testing.assert_allclose(unknown(X), sums(np.pad(X, [0, 3]), 2), 1e-9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"type": 5}, ValueError, "Types I, II, III and IV"),
        ({"n": 0}, ValueError, "positive integer"),
        ({"axis": 0}, NotImplementedError, "axis must be -1"),
        ({"norm": "other"}, ValueError, "Unknown normalization"),
        ({"type": 1, "norm": "ortho"}, ValueError, "not supported for the Type-I"),
    ],
)
def test_refusals(arguments, error, message):
    for function in (tf.signal.dct, tf.signal.idct):
        with pytest.raises(error, match=message):
            function([1.0, 2.0], **arguments)
    with pytest.raises(ValueError, match="greater than one"):
        tf.signal.dct([1.0], type=1)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("window", [tf.signal.vorbis_window, None])
def test_modified_transform_and_back(norm, window):
    signal = np.random.RandomState(1).rand(2, 32).astype("float32")
    frames = tf.signal.mdct(signal, 8, window, norm=norm)
    assert frames.shape == (2, 7, 4)
    np.testing.assert_allclose(tf.signal.inverse_mdct(frames, window, norm=norm)[:, 4:-4], signal[:, 4:-4], 1e-5, 1e-5)


def test_modified_transform_refuses():
    with pytest.raises(ValueError, match="multiple of 4"):
        tf.signal.mdct(tf.ones([8]), 6)
    with pytest.raises(ValueError, match="Unknown normalization"):
        tf.signal.inverse_mdct(tf.ones([2, 4]), norm="no")


def test_cepstral_coefficients():
    found = tf.signal.mfccs_from_log_mel_spectrograms(X)
    np.testing.assert_allclose(found, sums(X, 2) / np.sqrt(2 * len(X)), 1e-9)
    with pytest.raises(ValueError, match="num_mel_bins must be positive"):
        tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0]))


def test_gradient():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.signal.dct(x, norm="ortho") ** 2)
    np.testing.assert_allclose(tape.gradient(y, x), 2 * X, 1e-9)
