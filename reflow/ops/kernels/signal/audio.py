"""`DecodeWav` and `EncodeWav`, on the host.

A WAV file is `RIFF <size> WAVE`, then chunks `<name> <size> <bytes>`, all little endian. `fmt ` has format (1: PCM),
channels, samples a second, bytes a second, bytes a frame, bits a sample; `data` has the samples, channel by channel in
each frame. TensorFlow reads and writes 16-bit PCM only; a sample of 1.0 is 32768, which is cut to 32767.
"""

from __future__ import annotations

import struct

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


class _Reader:
    """Takes a byte string apart from left to right."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, count: int, what: str = "string") -> bytes:
        if self.at + count > len(self.data):
            raise ValueError(f"Data too short when trying to read {what}")
        self.at += count
        return self.data[self.at - count : self.at]

    def expect(self, text: bytes):
        found = self.take(len(text))
        if found != text:
            raise ValueError(f"Header mismatch: Expected {text.decode()} but found {found.decode(errors='replace')}")


def _frames(contents: bytes):
    """The samples [frames, channels] as int16, and the rate."""
    reader = _Reader(contents)
    reader.expect(b"RIFF")
    reader.take(4)
    reader.expect(b"WAVE")
    channels = rate = None
    while True:
        name, size = reader.take(4), struct.unpack("<I", reader.take(4))[0]
        if name == b"data":
            if channels is None:
                raise ValueError("Data chunk before the format chunk in a WAV file")
            usable = size - size % (2 * channels)
            return np.frombuffer(reader.take(size, "data")[:usable], "<i2").reshape(-1, channels), rate
        body = reader.take(size + size % 2)
        if name == b"fmt ":
            if size < 16:
                raise ValueError(f"Bad format chunk size for WAV: Expected 16 or 18, but got {size}")
            kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", body[:16])
            if kind != 1:
                raise ValueError(f"Bad audio format for WAV: Expected 1 (PCM), but got {kind}")
            if bits != 16:
                raise ValueError(f"Can only read 16-bit WAV files, but received {bits}")
            if channels < 1:
                raise ValueError("Bad number of channels for WAV: Expected at least 1, but got 0")


def _wav_shape(f):
    samples, channels = f.attr("desired_samples"), f.attr("desired_channels")
    return [(None if samples < 0 else samples, None if channels < 0 else channels), ()]


@op("DecodeWav", fits="0", shape=_wav_shape, grad=NO_GRADIENT, host=True)
def decode_wav(_, contents, desired_channels=-1, desired_samples=-1):
    for name, number in (("desired_channels", desired_channels), ("desired_samples", desired_samples)):
        if number < -1:
            raise ValueError(f"{name} must be >= -1, got {number}")
    frames, rate = _frames(contents[()])
    count = frames.shape[0] if desired_samples < 0 else desired_samples
    channels = frames.shape[1] if desired_channels < 0 else desired_channels
    out = np.zeros((count, channels), np.float32)
    kept = min(count, frames.shape[0])
    source = np.minimum(np.arange(channels), frames.shape[1] - 1)  # channels that are not there repeat the last one
    out[:kept] = frames[:kept, source].astype(np.float32) / np.float32(32768)
    return out, np.array(rate, np.int32)


@op("EncodeWav", fits="2 0", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def encode_wav(_, audio, sample_rate):
    require.scalar("sample_rate", sample_rate)
    if audio.ndim != 2:
        raise ValueError(f"audio must be 2-dimensional{rules.text(audio.shape)}")
    if not 0 < audio.shape[1] < 2**16:
        raise ValueError(f"num_channels must be in (0, 2^16), got: {audio.shape[1]}")
    if sample_rate <= 0:
        raise ValueError(f"sample_rate must be in (0, 2^32), got: {sample_rate}")
    scaled = audio.astype(np.float64) * 32768
    rounded = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)
    data = np.clip(rounded, -32768, 32767).astype("<i2").tobytes()
    channels, rate = audio.shape[1], int(sample_rate)
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2 % 2**32, channels * 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(data)) + data
    return np.array(b"RIFF" + struct.pack("<I", len(body)) + body, object)
