"""Metrics of checkpoints and SavedModels: numbers of reads and writes, durations, fingerprints.

The functions have the names of TensorFlow's `pywrap_saved_model.metrics`. Nothing reports the numbers; a program can
read them. `GetTrainingTimeSaved` is the time between two writes: the time that a program which dies now would not lose.
"""

from __future__ import annotations

import glob
import json
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from reflow.core.monitoring import Counter, ExponentialBuckets, Metric, Sampler, StringGauge

CHECKPOINT_V1, CHECKPOINT_V2, ASYNC_CHECKPOINT, SAVER_V1 = (
    "checkpoint_v1", "checkpoint_v2", "async_checkpoint", "saver_v1"
)
kFingerprintFound, kFingerprintNotFound, kFingerprintError = "FOUND", "NOT_FOUND", "ERROR"


class MetricException(Exception):
    """An argument of one of these functions makes no sense."""


def _metric(kind: type[Metric], name: str, *labels: str) -> Metric:
    return kind(f"/tensorflow/core/{name}", name, *labels)


def _count(name: str, label: str) -> tuple[Callable[..., None], Callable[..., int]]:
    """Functions that count up and that give the count, for one choice of a label."""
    counter = _metric(Counter, name, label)

    def increment(*args: str, **kwargs: str) -> None:
        counter.get_cell(*args, *kwargs.values()).increase_by(1)

    return increment, lambda *args, **kwargs: counter.get_cell(*args, *kwargs.values()).value()


def _durations(name: str) -> tuple[Callable[..., None], Callable[..., bytes]]:
    """Functions that add a duration, and that give the histogram as a serialized HistogramProto."""
    buckets = ExponentialBuckets(1000, 1.5, 41)  # from a millisecond to hours
    sampler = Sampler(f"/tensorflow/core/checkpoint/{name}", buckets, name, "api_label")

    def add(api_label: str, microseconds: float) -> None:
        sampler.get_cell(api_label).add(microseconds)

    return add, lambda api_label: sampler.get_cell(api_label).value().SerializeToString()


def _text(
    name: str, argument: str, encode: Callable[[Any], str] = str
) -> tuple[Callable[..., None], Callable[[], str]]:
    """Functions that set a text and that give it."""
    gauge = _metric(StringGauge, name)

    def put(*args: Any, **kwargs: Any) -> None:
        gauge.get_cell().set(encode(args[0] if args else kwargs[argument]))

    return put, lambda: gauge.get_cell().value()


def _as_json(fingerprint: bytes) -> str:
    """A fingerprint as the text that TensorFlow's metrics have."""
    from reflow.saved_model.fingerprint import HASHES, FingerprintDef

    proto = FingerprintDef.FromString(fingerprint)
    fields: dict[str, Any] = {name: getattr(proto, name) for name in ("saved_model_checksum", *HASHES)}
    fields["version"] = proto.version.producer
    return json.dumps(fields, indent=0, separators=(",", " : "))


def _known(found_status: str) -> str:
    return found_status if found_status in (kFingerprintFound, kFingerprintNotFound, kFingerprintError) else ""


IncrementWrite, GetWrite = _count("saved_model/write/count", "write_version")
IncrementWriteApi, GetWriteApi = _count("saved_model/write/api", "api_label")
IncrementRead, GetRead = _count("saved_model/read/count", "write_version")
IncrementReadApi, GetReadApi = _count("saved_model/read/api", "api_label")
AddCheckpointReadDuration, GetCheckpointReadDurations = _durations("read/read_durations")
AddCheckpointWriteDuration, GetCheckpointWriteDurations = _durations("write/write_durations")
AddAsyncCheckpointWriteDuration, GetAsyncCheckpointWriteDurations = _durations("write/async_write_durations")
SetReadFingerprint, GetReadFingerprint = _text("saved_model/read/fingerprint", "fingerprint", _as_json)
SetWriteFingerprint, GetWriteFingerprint = _text("saved_model/write/fingerprint", "fingerprint", _as_json)
SetReadPath, GetReadPath = _text("saved_model/read/path", "saved_model_path")
SetWritePath, GetWritePath = _text("saved_model/write/path", "saved_model_path")
SetFoundFingerprintOnLoad, GetFoundFingerprintOnLoad = _text(
    "saved_model/read/found_fingerprint_on_load", "found_status", _known
)
SetShardingCallbackDescription, GetShardingCallbackDescription = _text(
    "checkpoint/sharding/callback_description", "description"
)

_time_saved = _metric(Counter, "checkpoint/write/training_time_saved", "api_label")
_sizes = _metric(Counter, "checkpoint/write/checkpoint_size", "api_label", "filesize")
_shards = _metric(Counter, "checkpoint/sharding/num_checkpoint_shards_written")
_callback_duration = _metric(Counter, "checkpoint/sharding/callback_duration")
_read_print = _metric(StringGauge, "saved_model/read/path_and_singleprint")
_write_print = _metric(StringGauge, "saved_model/write/path_and_singleprint")


def AddTrainingTimeSaved(api_label: str, microseconds: float) -> None:
    _time_saved.get_cell(api_label).increase_by(microseconds)


def GetTrainingTimeSaved(api_label: str) -> int:
    return _time_saved.get_cell(api_label).value()


def RecordCheckpointSize(api_label: str, filesize: int) -> None:
    _sizes.get_cell(api_label, filesize).increase_by(1)


def GetCheckpointSize(api_label: str, filesize: int) -> int:
    """How many checkpoints of that size were written."""
    return _sizes.get_cell(api_label, filesize).value()


def AddShardingCallbackDuration(callback_duration: int) -> None:
    _callback_duration.get_cell().increase_by(callback_duration)


def GetShardingCallbackDuration() -> int:
    return _callback_duration.get_cell().value()


def AddNumCheckpointShardsWritten(num_shards: int) -> None:
    _shards.get_cell().increase_by(num_shards)


def GetNumCheckpointShardsWritten() -> int:
    return _shards.get_cell().value()


def CalculateFileSize(filename: str) -> int:
    """The size in kilobytes; -1 if there is no such file."""
    try:
        return round(os.path.getsize(filename) / 1000)
    except OSError:
        return -1


def _joined(path: str, singleprint: str) -> tuple[str, str]:
    for name, value in (("path", path), ("singleprint", singleprint)):
        if not value:
            raise MetricException(f"Invalid path_and_singleprint argument. Empty {name}.")
    return path, singleprint


def SetReadPathAndSingleprint(path: str, singleprint: str) -> None:
    _read_print.get_cell().set(_joined(path, singleprint))


def GetReadPathAndSingleprint() -> tuple[str, str]:
    return _read_print.get_cell().value() or ("", "")


def SetWritePathAndSingleprint(path: str, singleprint: str) -> None:
    _write_print.get_cell().set(_joined(path, singleprint))


def GetWritePathAndSingleprint() -> tuple[str, str]:
    return _write_print.get_cell().value() or ("", "")


# ---------------------------------------------------------------- used by checkpoints

_lock = threading.Lock()
_last_write: float | None = None


def begin() -> None:
    """Count the time that writes save from now on, at the first checkpoint object of the program."""
    global _last_write
    with _lock:
        _last_write = time.time() if _last_write is None else _last_write


def checkpoint_size(prefix: str) -> int:
    """The sizes of a checkpoint's files, as `CalculateFileSize` gives them."""
    return sum(CalculateFileSize(file) for file in glob.glob(f"{glob.escape(prefix)}*"))


def written(label: str, prefix: str, start: float) -> None:
    """Note a checkpoint whose writing began at a time."""
    global _last_write
    end = time.time()
    if label == ASYNC_CHECKPOINT:
        AddAsyncCheckpointWriteDuration(label, 1e6 * (end - start))
    else:
        AddCheckpointWriteDuration(label, 1e6 * (end - start))
    with _lock:
        AddTrainingTimeSaved(label, 1e6 * max(end - (_last_write or end), 0))
        _last_write = end
    RecordCheckpointSize(label, checkpoint_size(prefix))
