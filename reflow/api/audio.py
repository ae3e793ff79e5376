"""`tf.audio`: WAV files as tensors and back."""

from __future__ import annotations

import collections

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

DecodeWav = collections.namedtuple("DecodeWav", ["audio", "sample_rate"])


@export("audio.decode_wav")
def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None) -> DecodeWav:
    """Decodes a 16-bit WAV file.

    Args:
      contents: The contents of the file, a string scalar.
      desired_channels: How many channels there are to be; -1 for those of the file.
      desired_samples: How many frames there are to be, by cutting or adding zeros; -1 for those of the file.
      name: A name for the operation.

    Returns:
      A named tuple: `audio`, float32 samples `[frames, channels]` from -1 to 1, and `sample_rate`, an int32 scalar.

    Raises:
      InvalidArgumentError: The contents are no such file.

    >>> audio, rate = tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-1.0]], 8000))
    >>> audio.numpy().tolist(), rate.numpy().item()
    ([[0.5], [-1.0]], 8000)
    """
    attrs = {"desired_channels": int(desired_channels), "desired_samples": int(desired_samples)}
    return DecodeWav(*call("DecodeWav", (convert_to_tensor(contents, dtypes.string),), attrs, name))


@export("audio.encode_wav")
def encode_wav(audio, sample_rate, name=None):
    """Encodes samples as a 16-bit WAV file.

    Args:
      audio: Samples `[frames, channels]`, which are clamped to [-1, 1].
      sample_rate: Frames per second.
      name: A name for the operation.

    Returns:
      The contents of the file, a string scalar.

    >>> tf.audio.encode_wav(tf.zeros([4, 1]), 8000).numpy()[:4]
    b'RIFF'
    """
    operands = (convert_to_tensor(audio, dtypes.float32), convert_to_tensor(sample_rate, dtypes.int32))
    return call("EncodeWav", operands, {}, name)
