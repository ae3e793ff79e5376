"""Message classes of checkpoints that `tensorboard.compat.proto` lacks."""

from __future__ import annotations

from tensorboard.compat.proto import tensor_pb2, tensor_shape_pb2, types_pb2, versions_pb2

from reflow.io.messages import define

_classes = define(
    "tensor_bundle.proto",
    [types_pb2, tensor_pb2, tensor_shape_pb2, versions_pb2],
    {
        "BundleHeaderProto": [
            (1, "int32", "num_shards"),
            (2, "int32", "endianness"),  # 0 little, 1 big
            (3, ".tensorboard.VersionDef", "version"),
        ],
        "TensorSliceExtent": [(1, "int64", "start"), (2, "optional int64", "length")],
        "TensorSliceProto": [(1, "repeated .reflow.TensorSliceExtent", "extent")],
        "BundleEntryProto": [
            (1, "enum .tensorboard.DataType", "dtype"), (2, ".tensorboard.TensorShapeProto", "shape"),
            (3, "int32", "shard_id"), (4, "int64", "offset"), (5, "int64", "size"), (6, "fixed32", "crc32c"),
            (7, "repeated .reflow.TensorSliceProto", "slices"),
        ],
        # files of version 1 (`slice_files`)
        "SavedSliceMeta": [
            (1, "string", "name"), (2, ".tensorboard.TensorShapeProto", "shape"),
            (3, "enum .tensorboard.DataType", "type"), (4, "repeated .reflow.TensorSliceProto", "slice"),
        ],
        "SavedTensorSliceMeta": [
            (1, "repeated .reflow.SavedSliceMeta", "tensor"), (2, ".tensorboard.VersionDef", "versions")
        ],
        "SavedSlice": [
            (1, "string", "name"), (2, ".reflow.TensorSliceProto", "slice"), (3, ".tensorboard.TensorProto", "data")
        ],
        "SavedTensorSlices": [(1, ".reflow.SavedTensorSliceMeta", "meta"), (2, ".reflow.SavedSlice", "data")],
        "CheckpointState": [
            (1, "string", "model_checkpoint_path"), (2, "repeated string", "all_model_checkpoint_paths"),
            (3, "repeated double", "all_model_checkpoint_timestamps"), (4, "double", "last_preserved_timestamp"),
        ],
    },
)
BundleHeaderProto = _classes["BundleHeaderProto"]
BundleEntryProto = _classes["BundleEntryProto"]
TensorSliceProto = _classes["TensorSliceProto"]
SavedTensorSlices = _classes["SavedTensorSlices"]
CheckpointState = _classes["CheckpointState"]
