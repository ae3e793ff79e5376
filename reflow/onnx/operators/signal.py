"""Fourier transforms and windows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import Node, moved, positive, rank
from reflow.onnx.table import operator


def _complex(x: Any) -> Any:
    """[..., 1] or [..., 2] as complex numbers."""
    real = x[..., 0]
    imaginary = x[..., 1] if x.shape[-1] == 2 else tf.zeros_like(real)
    return tf.complex(real, imaginary)


def _parts(x: Any) -> Any:
    return tf.stack([tf.math.real(x), tf.math.imag(x)], -1)


def _fitted(x: Any, length: int) -> Any:
    """The last axis cut, or filled with zeros, to a length."""
    missing = length - x.shape[-1]
    return x[..., :length] if missing <= 0 else tf.pad(x, [[0, 0]] * (rank(x) - 1) + [[0, missing]])


@operator("DFT")
def fourier(node: Node, x: Any, length: Any = None, axis: Any = None) -> Any:
    """`axis` is an attribute before operator set 20."""
    along = (
        int(np.ravel(node.value(axis, "axis"))[0]) if axis is not None
        else node.get("axis", 1 if node.opset < 20 else -2)
    )
    along = positive(along, rank(x))
    back, half = bool(node.get("inverse", 0)), bool(node.get("onesided", 0))
    if back and half:
        rows = moved(_complex(x), along, -1)
        count = int(np.ravel(node.value(length, "dft_length"))[0]) if length is not None else 2 * (rows.shape[-1] - 1)
        return moved(tf.signal.irfft(rows, [count]), -1, along)[..., None]
    rows = moved(_complex(x), along, -1)
    if length is not None:
        rows = _fitted(rows, int(np.ravel(node.value(length, "dft_length"))[0]))
    y = (tf.signal.ifft if back else tf.signal.fft)(rows)
    y = y[..., : y.shape[-1] // 2 + 1] if half else y
    return _parts(moved(y, -1, along))


@operator("STFT")
def short_time_fourier(node: Node, x: Any, step: Any, window: Any = None, length: Any = None) -> Any:
    if length is not None:
        count = int(np.ravel(node.value(length, "frame_length"))[0])
    else:
        count = window.shape[0]
    hop = int(np.ravel(node.value(step, "frame_step"))[0])
    data = _complex(x if rank(x) == 3 else x[..., None])
    frames = tf.signal.frame(data, count, hop)
    if window is not None:
        frames = frames * tf.complex(window, tf.zeros_like(window))
    y = tf.signal.fft(frames)
    return _parts(y[..., : count // 2 + 1] if node.get("onesided", 1) else y)


def _window(name: str, weights: list[float]) -> None:
    @operator(name)
    def convert(node: Node, size: Any) -> Any:
        """A sum of cosines."""
        count = tf.cast(tf.reshape(size, []), tf.float32)
        places = tf.range(count)
        span = count if node.get("periodic", 1) else count - 1.0
        terms = [(-1) ** k * w * tf.cos(2 * math.pi * k * places / span) for k, w in enumerate(weights)]
        return tf.cast(tf.add_n(terms), node.dtype("output_datatype", tf.float32))


_window("HannWindow", [0.5, 0.5])
_window("HammingWindow", [25 / 46, 21 / 46])
_window("BlackmanWindow", [0.42, 0.5, 0.08])


@operator("MelWeightMatrix")
def mel_weights(node: Node, bins: Any, length: Any, rate: Any, low: Any, high: Any) -> Any:
    """Triangles on the mel scale over the bins of a spectrum."""
    given = (
        (bins, "num_mel_bins"), (length, "dft_length"), (rate, "sample_rate"), (low, "lower_edge_hertz"),
        (high, "upper_edge_hertz"),
    )
    values = [np.ravel(node.value(t, what))[0] for t, what in given]
    count, size, rate_, first, last = int(values[0]), int(values[1]), int(values[2]), float(values[3]), float(values[4])
    mels = 2595 * np.log10(1 + np.array([first, last]) / 700)
    step = (mels[1] - mels[0]) / (count + 2)
    edges = 700 * (10 ** ((mels[0] + step * np.arange(count + 2)) / 2595) - 1)
    places = ((size + 1) * edges // rate_).astype(np.int64)
    spectrum = size // 2 + 1
    table = np.zeros((spectrum, count), np.float64)
    for i in range(count):
        a, b, c = places[i : i + 3]
        if b == a:
            table[b, i] = 1.0
        for j in range(a, b + 1):
            table[j, i] = 1.0 if b == a else (j - a) / (b - a)
        for j in range(b, c):
            if c != b:
                table[j, i] = (c - j) / (c - b)
    return tf.constant(table, node.dtype("output_datatype", tf.float32))
