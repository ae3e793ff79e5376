"""Summaries: ops that append events to a writer's file."""

from __future__ import annotations

from reflow.ops import shape_rules as rules
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op
from reflow.summary.event_files import tensor_proto


def _effect(name: str, **facts):
    return op(
        name, shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=("writer",), touches=("files",), **facts
    )


@_effect("WriteSummary", naming=Naming("write_summary"))
def write_summary(_, writer, step, tensor, tag, summary_metadata):
    from tensorboard.compat.proto.summary_pb2 import Summary

    summary = Summary()
    value = summary.value.add(tag=tag[()].decode(), tensor=tensor_proto(tensor))
    value.metadata.ParseFromString(summary_metadata[()])
    writer.add(step=int(step), summary=summary)
    return ()


@_effect("WriteRawProtoSummary")
def write_raw_proto_summary(_, writer, step, tensor):
    from tensorboard.compat.proto.summary_pb2 import Summary

    for serialized in tensor.reshape(-1):
        writer.add(step=int(step), summary=Summary.FromString(serialized))
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
