"""`AudioSpectrogram`: how strong each frequency is in short pieces of a sound."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.ops.registry import NO_GRADIENT, op


def _shape(f):
    dims, window, stride = f.shapes[0], f.attrs["window_size"], f.attrs["stride"]
    length = 1 << (window - 1).bit_length()
    if dims is None:
        return [(None, None, length // 2 + 1)]
    frames = None if dims[0] is None else max(1 + (dims[0] - window) // stride, 0)
    return [(dims[1], frames, length // 2 + 1)]


@op("AudioSpectrogram", shape=_shape, grad=NO_GRADIENT, host=True)
def audio_spectrogram(_, input, window_size, stride, magnitude_squared=False):
    """[channels, frames, frequencies] of samples [time, channels], by a Fourier transform of windows with soft edges."""
    if input.ndim != 2:
        raise errors.InvalidArgumentError(None, None, f"input must be 2-dimensional, not of rank {input.ndim}")
    length = 1 << (window_size - 1).bit_length()
    frames = max(1 + (len(input) - window_size) // stride, 0)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    places = np.arange(frames)[:, None] * stride + np.arange(window_size)
    pieces = input.T.astype(np.float64)[:, places] * window
    spectrum = np.fft.rfft(pieces, length)
    squares = spectrum.real**2 + spectrum.imag**2
    return (squares if magnitude_squared else np.sqrt(squares)).astype(np.float32)
