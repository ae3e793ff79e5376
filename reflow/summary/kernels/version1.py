"""Summaries of TensorFlow 1: ops whose result is a serialized `Summary`."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.io.messages import parse
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as host_xp
from reflow.summary.event_files import tensor_proto

NO_METADATA = "Could not parse the summary metadata"


def _serialized(name: str):
    return op(name, shape=rules.scalar, grad=NO_GRADIENT, host=True)


def _summary():
    from tensorboard.compat.proto.summary_pb2 import Summary

    return Summary()


def _bytes(summary) -> np.ndarray:
    return np.array(summary.SerializeToString(), object)


@_serialized("ScalarSummary")
def scalar_summary(_, tags, values):
    if tags.shape != values.shape:
        raise errors.InvalidArgumentError(
            None, None, f"tags and values are not the same shape: {list(tags.shape)} != {list(values.shape)}"
        )
    summary = _summary()
    for tag, value in zip(tags.reshape(-1).tolist(), values.reshape(-1).tolist(), strict=True):
        summary.value.add(tag=tag.decode(), simple_value=float(value))
    return _bytes(summary)


def bucket_limits() -> list:
    """The limits of TensorFlow's histograms: from ±1e-12 to ±1e20 in steps of a tenth, and the largest double."""
    positive, limit = [], 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(float(np.finfo(np.float64).max))
    return [-x for x in reversed(positive)] + [0.0] + positive


@_serialized("HistogramSummary")
def histogram_summary(_, tag, values):
    numbers = values.astype(np.float64).reshape(-1)
    if not np.isfinite(numbers).all():
        what = "Nan" if np.isnan(numbers).any() else "Infinity"
        raise errors.InvalidArgumentError(None, None, f"{what} in summary histogram for: {tag[()].decode()}")
    summary = _summary()
    histogram = summary.value.add(tag=tag[()].decode()).histo
    limits = np.array(bucket_limits())
    counts = np.bincount(np.searchsorted(limits, numbers, side="right"), minlength=len(limits))[: len(limits)]
    histogram.num = numbers.size
    histogram.min, histogram.max = (numbers.min(), numbers.max()) if numbers.size else (limits[-1], -limits[-1])
    histogram.sum, histogram.sum_squares = numbers.sum(), (numbers * numbers).sum()
    for limit, count in _compressed(limits.tolist(), counts.tolist()):
        histogram.bucket_limit.append(limit)
        histogram.bucket.append(count)
    return _bytes(summary)


def _compressed(limits, counts):
    """Runs of empty buckets as one."""
    last = len(limits) - 1
    for i, (limit, count) in enumerate(zip(limits, counts, strict=True)):
        if count or i == last or counts[i + 1]:
            yield limit, float(count)


@_serialized("ImageSummary")
def image_summary(_, tag, tensor, max_images=3, bad_color=None):
    from reflow.ops.kernels.image.encode import encode_png

    if tensor.ndim != 4 or tensor.shape[3] not in (1, 3, 4):
        raise errors.InvalidArgumentError(
            None, None, f"Tensor must be 4-D with last dim 1, 3, or 4, not {list(tensor.shape)}"
        )
    summary, name = _summary(), tag[()].decode()
    shown = tensor[:max_images]
    for i, picture in enumerate(shown):
        data = picture if picture.dtype == np.uint8 else _as_bytes(picture.astype(np.float64), bad_color)
        label = f"{name}/image" if max_images == 1 else f"{name}/image/{i}"
        image = summary.value.add(tag=label).image
        image.height, image.width, image.colorspace = picture.shape
        image.encoded_image_string = encode_png.kernel(host_xp, np.ascontiguousarray(data)).item()
    return _bytes(summary)


def _as_bytes(picture, bad_color):
    """A picture of floats, scaled as TensorFlow does: around 127 if some are negative, else by the largest; a pixel
    that is not finite gets the bad color."""
    finite = picture[np.isfinite(picture)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    if low < 0:
        largest = max(abs(low), abs(high))
        scale, offset = (0.0 if largest == 0 else 127 / largest), 128.0
    else:
        scale, offset = (0.0 if high == 0 else 255 / high), 0.0
    bad = ~np.isfinite(picture).all(-1)
    pixels = (np.where(bad[..., None], 0.0, picture) * scale + offset).astype(np.uint8)
    color = np.array([255, 0, 0, 255], np.uint8) if bad_color is None else bad_color
    pixels[bad] = color[: picture.shape[-1]]
    return pixels


@_serialized("AudioSummaryV2")
def audio_summary(_, tag, tensor, sample_rate, max_outputs=3):
    """Sounds of [batch, frames, channels], or of [batch, frames], as WAV files."""
    from reflow.ops.kernels.signal.audio import encode_wav

    if tensor.ndim not in (2, 3):
        raise errors.InvalidArgumentError(None, None, f"Tensor must be 3-D or 2-D, got: {list(tensor.shape)}")
    if tag.ndim:
        raise errors.InvalidArgumentError(None, None, "Tag must be a scalar")
    if sample_rate <= 0:
        raise errors.InvalidArgumentError(None, None, "sample_rate must be > 0")
    summary, name = _summary(), tag[()].decode()
    whole_rate = np.asarray(max(1, round(float(sample_rate))))  # WAV files have a whole number
    sounds = tensor if tensor.ndim == 3 else tensor[..., None]
    shown = min(max_outputs, len(sounds))
    for i in range(shown):
        label = f"{name}/audio" if max_outputs == 1 else f"{name}/audio/{i}"
        audio = summary.value.add(tag=label).audio
        audio.sample_rate, audio.content_type = float(sample_rate), "audio/wav"
        audio.length_frames, audio.num_channels = sounds[i].shape
        audio.encoded_audio_string = encode_wav.kernel(host_xp, sounds[i], whole_rate).item()
    return _bytes(summary)


@_serialized("AudioSummary")
def audio_summary_of_one_rate(xp, tag, tensor, sample_rate, max_outputs=3):
    return audio_summary.kernel(xp, tag, tensor, sample_rate, max_outputs)


@_serialized("TensorSummary")
def tensor_summary(_, tensor, description="", labels=(), display_name=""):
    """A tensor without a tag; TensorFlow writes down neither description nor labels."""
    summary = _summary()
    summary.value.add(node_name="TensorSummary", tensor=tensor_proto(tensor))
    return _bytes(summary)


@_serialized("TensorSummaryV2")
def tensor_summary_v2(_, tag, tensor, serialized_summary_metadata):
    from tensorboard.compat.proto.summary_pb2 import SummaryMetadata

    summary = _summary()
    value = summary.value.add(tag=tag[()].decode(), tensor=tensor_proto(tensor))
    value.metadata.CopyFrom(
        parse(SummaryMetadata, serialized_summary_metadata[()], NO_METADATA, errors.InvalidArgumentError)
    )
    return _bytes(summary)


@op("MergeSummary", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def merge_summary(_, inputs):
    from tensorboard.compat.proto.summary_pb2 import Summary

    merged, seen = _summary(), set()
    for serialized in (item for array in inputs for item in array.reshape(-1).tolist()):
        for value in parse(
            Summary, serialized, "Could not parse one of the summary inputs", errors.InvalidArgumentError
        ).value:
            if value.tag in seen:
                raise errors.InvalidArgumentError(None, None, f"Duplicate tag {value.tag} found in summary inputs")
            seen.add(value.tag)
            merged.value.add().CopyFrom(value)
    return _bytes(merged)
