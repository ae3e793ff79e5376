"""Protobuf messages with public names below `tf.compat.v1`: TensorBoard's copies of TensorFlow's."""

from tensorboard.compat.proto.config_pb2 import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)
from tensorboard.compat.proto.graph_pb2 import GraphDef

from reflow.api.export import export_value

export_value(ConfigProto, "compat.v1.ConfigProto")
export_value(GPUOptions, "compat.v1.GPUOptions")
export_value(GraphDef, "compat.v1.GraphDef")
export_value(GraphOptions, "compat.v1.GraphOptions")
export_value(OptimizerOptions, "compat.v1.OptimizerOptions")
export_value(RunMetadata, "compat.v1.RunMetadata")
export_value(RunOptions, "compat.v1.RunOptions")
