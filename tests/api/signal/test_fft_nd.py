"""`reflow/api/signal/fft_nd.py` against NumPy.

TensorFlow 2.21 has these functions, but no kernels for them on the CPU.
"""

import numpy as np
import pytest

import reflow as tf

Z = (np.random.RandomState(0).rand(3, 4, 5) + 1j * np.random.RandomState(1).rand(3, 4, 5)).astype("complex64")


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize(("lengths", "axes"), [(None, None), (None, [0, 2]), ([2, 8], [0, 1]), ([4, 6], [-2, -1])])
def test_transforms(lengths, axes, norm):
    for ours, numpy in ((tf.signal.fftnd, np.fft.fftn), (tf.signal.ifftnd, np.fft.ifftn)):
        np.testing.assert_allclose(ours(Z, lengths, axes, norm), numpy(Z, lengths, axes, norm), 1e-4, 1e-4)
    np.testing.assert_allclose(
        tf.signal.rfftnd(Z.real, lengths, axes, norm), np.fft.rfftn(Z.real, lengths, axes, norm), 1e-4, 1e-4
    )
    np.testing.assert_allclose(
        tf.signal.irfftnd(Z, lengths, axes, norm), np.fft.irfftn(Z, lengths, axes, norm), 1e-4, 1e-4
    )


def test_refusals():
    with pytest.raises(ValueError, match="one length for each axis"):
        tf.signal.fftnd(Z, [2], [0, 1])
    with pytest.raises(ValueError, match="twice"):
        tf.signal.fftnd(Z, axes=[0, 0])
    with pytest.raises(ValueError, match="norm"):
        tf.signal.fftnd(Z, norm="no")
    with pytest.raises(ValueError, match="RFFT requires"):
        tf.signal.rfftnd(tf.constant([1, 2]))
    with pytest.raises(ValueError, match="IRFFT requires"):
        tf.signal.irfftnd(tf.constant([1.0, 2.0]))
