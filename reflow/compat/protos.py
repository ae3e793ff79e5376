"""Protobuf messages with public names in `tf.compat.v1`: TensorBoard's copies of TensorFlow's."""

from tensorboard.compat.proto.attr_value_pb2 import AttrValue, NameAttrList
from tensorboard.compat.proto.cluster_pb2 import ClusterDef, JobDef
from tensorboard.compat.proto.config_pb2 import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)
from tensorboard.compat.proto.event_pb2 import Event, LogMessage, SessionLog, TaggedRunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.histogram_pb2 import HistogramProto
from tensorboard.compat.proto.meta_graph_pb2 import MetaGraphDef, TensorInfo
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.saver_pb2 import SaverDef
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryDescription, SummaryMetadata

from reflow.api.export import export_value

export_value(AttrValue, "compat.v1.AttrValue")
export_value(NameAttrList, "compat.v1.NameAttrList")
export_value(ClusterDef, "compat.v1.train.ClusterDef")
export_value(JobDef, "compat.v1.train.JobDef")
export_value(ConfigProto, "compat.v1.ConfigProto")
export_value(Event, "compat.v1.Event", "compat.v1.summary.Event")
export_value(LogMessage, "compat.v1.LogMessage")
export_value(SessionLog, "compat.v1.SessionLog", "compat.v1.summary.SessionLog")
export_value(TaggedRunMetadata, "compat.v1.summary.TaggedRunMetadata")
export_value(GPUOptions, "compat.v1.GPUOptions")
export_value(GraphDef, "compat.v1.GraphDef")
export_value(GraphOptions, "compat.v1.GraphOptions")
export_value(HistogramProto, "compat.v1.HistogramProto")
export_value(MetaGraphDef, "compat.v1.MetaGraphDef")
export_value(TensorInfo, "compat.v1.TensorInfo")
export_value(NodeDef, "compat.v1.NodeDef")
export_value(OptimizerOptions, "compat.v1.OptimizerOptions")
export_value(RunMetadata, "compat.v1.RunMetadata")
export_value(RunOptions, "compat.v1.RunOptions")
export_value(SaverDef, "compat.v1.train.SaverDef")
export_value(Summary, "compat.v1.Summary", "compat.v1.summary.Summary")
export_value(SummaryDescription, "compat.v1.summary.SummaryDescription")
export_value(SummaryMetadata, "compat.v1.SummaryMetadata")
