"""Summaries: ops that append events to a writer's file."""

from __future__ import annotations

from typing import Any

from reflow.core import dtypes, errors
from reflow.core.resources import shared
from reflow.core.tensor import HostObject
from reflow.io.messages import parse
from reflow.ops import shape_rules as rules
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op
from reflow.summary.event_files import EventFile, tensor_proto
from reflow.summary.kernels import version1
from reflow.summary.kernels.version1 import NO_METADATA

_NO_SUMMARY = "Bad tf.compat.v1.Summary binary proto"


def _effect(name: str, **facts):
    return op(
        name, shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=("writer",), touches=("files",), **facts
    )


@_effect("WriteSummary", naming=Naming("write_summary"))
def write_summary(_, writer, step, tensor, tag, summary_metadata):
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata

    summary = Summary()
    value = summary.value.add(tag=tag[()].decode(), tensor=tensor_proto(tensor))
    value.metadata.CopyFrom(parse(SummaryMetadata, summary_metadata[()], NO_METADATA, errors.InvalidArgumentError))
    writer.add(step=int(step), summary=summary)
    return ()


@_effect("WriteRawProtoSummary")
def write_raw_proto_summary(_, writer, step, tensor):
    from tensorboard.compat.proto.summary_pb2 import Summary

    whole = Summary()
    for i, serialized in enumerate(tensor.reshape(-1)):
        whole.MergeFrom(parse(Summary, serialized, f"{_NO_SUMMARY} tensor string at index {i}"))
    writer.add(step=int(step), summary=whole)
    return ()


@_effect("WriteGraphSummary")
def write_graph_summary(_, writer, step, tensor):
    writer.add(step=int(step), graph_def=tensor[()])
    return ()


@_effect("FlushSummaryWriter")
def flush_summary_writer(_, writer):
    writer.flush()
    return ()


@_effect("CloseSummaryWriter")
def close_summary_writer(_, writer):
    writer.close()
    return ()


# --- of one kind ------------------------------------------------------------------------------------------------------


def _add_serialized(writer, step, serialized) -> tuple:
    from tensorboard.compat.proto.summary_pb2 import Summary

    writer.add(step=int(step), summary=parse(Summary, serialized.item(), _NO_SUMMARY))
    return ()


@_effect("WriteScalarSummary")
def write_scalar_summary(_, writer, step, tag, value):
    return _add_serialized(writer, step, version1.scalar_summary.kernel(_, tag, value))


@_effect("WriteHistogramSummary")
def write_histogram_summary(_, writer, step, tag, values):
    return _add_serialized(writer, step, version1.histogram_summary.kernel(_, tag, values))


@_effect("WriteImageSummary")
def write_image_summary(_, writer, step, tag, tensor, bad_color, max_images=3):
    return _add_serialized(writer, step, version1.image_summary.kernel(_, tag, tensor, max_images, bad_color))


@_effect("WriteAudioSummary")
def write_audio_summary(_, writer, step, tag, tensor, sample_rate, max_outputs=3):
    return _add_serialized(writer, step, version1.audio_summary.kernel(_, tag, tensor, sample_rate, max_outputs))


# --- writers ----------------------------------------------------------------------------------------------------------


class Writer(HostObject):
    """A writer that gets its file after it was made."""

    tensor_dtype = dtypes.resource

    def __init__(self) -> None:
        self.file: EventFile | None = None

    def _opened(self) -> EventFile:
        if self.file is None:
            raise errors.FailedPreconditionError(None, None, "The summary writer has no file yet: it was not created.")
        return self.file

    def add(self, **fields: Any) -> None:
        self._opened().add(**fields)

    def flush(self) -> None:
        self._opened().flush()

    def close(self) -> None:
        self._opened().close()


@op("SummaryWriter", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True)
def summary_writer(_, shared_name="", container=""):
    return shared(container, shared_name, Writer)


@_effect("CreateSummaryFileWriter")
def create_summary_file_writer(_, writer, logdir, max_queue, flush_millis, filename_suffix):
    """Give a writer its file, if it has none that is open."""
    if writer.file is None or writer.file.closed:
        suffix = filename_suffix[()].decode()
        writer.file = EventFile(logdir[()].decode(), int(max_queue), int(flush_millis), suffix)
    return ()


@_effect("ImportEvent")
def import_event(_, writer, event):
    """Add an event that was serialized before."""
    from tensorboard.compat.proto.event_pb2 import Event

    parsed = parse(Event, event[()], "Bad tf.Event binary proto tensor string")
    writer.add(step=parsed.step, summary=parsed.summary)
    return ()
