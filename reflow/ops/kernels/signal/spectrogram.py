"""Spectrograms (`AudioSpectrogram`) and mel-frequency cepstral coefficients (`Mfcc`)."""

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


@op("AudioSpectrogram", fits="2", shape=_shape, grad=NO_GRADIENT, host=True)
def audio_spectrogram(_, input, window_size, stride, magnitude_squared=False):
    """[channels, frames, frequencies] of samples [time, channels]: a Fourier transform of windows with soft edges."""
    if input.ndim != 2:
        raise errors.InvalidArgumentError(None, None, f"input must be 2-dimensional, not of rank {input.ndim}")
    if window_size < 2 or not 1 <= stride < 2**31:
        raise ValueError(f"Spectrogram initialization failed for window size {window_size} and stride {stride}")
    length = 1 << (window_size - 1).bit_length()
    frames = max(1 + (len(input) - window_size) // stride, 0)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    places = np.arange(frames)[:, None] * stride + np.arange(window_size)
    pieces = input.T.astype(np.float64)[:, places] * window
    spectrum = np.fft.rfft(pieces, length)
    squares = spectrum.real**2 + spectrum.imag**2
    return (squares if magnitude_squared else np.sqrt(squares)).astype(np.float32)


# --- as the ear hears it ----------------------------------------------------------------------------------------------

_SMALLEST = 1e-12  # a band's strength before the logarithm is at least this


def _mel(frequency):
    """A frequency in mels: equal steps sound equally far apart."""
    return 1127.0 * np.log1p(frequency / 700.0)


def _bands(bins: int, sample_rate: float, low: float, high: float, count: int) -> np.ndarray:
    """[bins, bands]: what a frequency adds to each band. A band is a triangle between the centres of its neighbours."""
    width = 0.5 * sample_rate / (bins - 1)
    edges = _mel(low) + (_mel(high) - _mel(low)) / (count + 1) * np.arange(count + 2)
    first, last = int(1.5 + low / width), int(high / width)
    out = np.zeros((bins, count))
    for i in range(first, min(last, bins - 1) + 1):
        place = _mel(i * width)
        band = int(np.searchsorted(edges[1:-1], place, side="left")) - 1  # the last band whose centre lies below
        share = (edges[band + 2] - place) / (edges[band + 2] - edges[band + 1])
        if band >= 0:
            out[i, band] += share
        if band + 1 < count:
            out[i, band + 1] += 1 - share
    return out


def _mfcc_shape(f):
    return [
        (None, None, f.attrs["dct_coefficient_count"]) if f.shapes[0] is None
        else (*f.shapes[0][:2], f.attrs["dct_coefficient_count"])
    ]


@op("Mfcc", fits="3 0", shape=_mfcc_shape, grad=NO_GRADIENT, host=True)
def mfcc(
    _, spectrogram, sample_rate, upper_frequency_limit=4000.0, lower_frequency_limit=20.0, filterbank_channel_count=40,
    dct_coefficient_count=13,
):
    """Mel frequency cepstral coefficients: a cosine transform of the logarithms of the bands' strengths."""
    if spectrogram.ndim != 3:
        raise errors.InvalidArgumentError(None, None, "spectrogram must be 3-dimensional")
    bins, count = spectrogram.shape[2], filterbank_channel_count
    no_range = lower_frequency_limit < 0 or upper_frequency_limit <= lower_frequency_limit
    if sample_rate <= 0 or bins < 2 or no_range or not 1 <= dct_coefficient_count <= count:
        facts = f"sample rate {sample_rate} and filterbank_channel_count {count}"
        raise ValueError(f"Mfcc initialization failed for channel count {bins}, {facts}")
    bands = _bands(bins, float(sample_rate), lower_frequency_limit, upper_frequency_limit, count)
    strength = np.log(np.maximum(np.sqrt(spectrogram.astype(np.float64)) @ bands, _SMALLEST))
    angles = np.outer(np.arange(dct_coefficient_count), np.pi / count * (np.arange(count) + 0.5))
    return (strength @ (np.sqrt(2.0 / count) * np.cos(angles)).T).astype(np.float32)
