"""Records of the ops that save datasets to files and read them again."""

from __future__ import annotations

import numpy as np

from reflow.data.engine import snapshot_files as files
from reflow.data.engine import snapshots
from reflow.data.engine.fingerprints import fingerprint
from reflow.data.engine.values import Function
from reflow.data.kernels.dataset import dataset_op
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


def _leaves(attrs, types):
    """Which components belong together: an attribute of ours, since TensorFlow's composites are single variants."""
    leaves = attrs.get("_leaves") or files.dense_leaves(len(types))
    return leaves, [t.as_datatype_enum for t in attrs.get("_file_types") or types]


def _saving(input_dataset, path, other, compression, shard_func, use_shard_func, types, attrs):
    shard = Function(shard_func, other) if use_shard_func else None
    leaves, numbers = _leaves(attrs, types)
    return snapshots.Saving(input_dataset, path[()].decode(), compression, leaves, numbers, shard)


@op("SaveDataset", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def save_dataset(
    _, input_dataset, path, shard_func_other_args, shard_func, compression="", use_shard_func=True, **attrs
):
    types = attrs.get("_file_types") or []
    args = (input_dataset, path, shard_func_other_args, compression, shard_func, use_shard_func, types, attrs)
    _saving(*args).save()
    return ()


@dataset_op("SaveDatasetV2", effect=True, touches=("files",))
def save_dataset_v2(
    _, input_dataset, path, shard_func_other_args, shard_func, output_types, compression="", use_shard_func=True, **attrs
):
    args = (input_dataset, path, shard_func_other_args, compression, shard_func, use_shard_func, output_types, attrs)
    return _saving(*args)


@dataset_op("LoadDataset", effect=True, touches=("files",))
def load_dataset(_, path, reader_func_other_args, reader_func, output_types, compression="", **attrs):
    leaves, _types = _leaves(attrs, output_types)
    reader = Function(reader_func, reader_func_other_args)
    return snapshots.Loaded(path[()].decode(), files.compression_of(compression), leaves, reader)


@dataset_op("SnapshotDatasetV2", touches=("files",))
def snapshot_dataset(
    _, input_dataset, path, reader_func_other_args, shard_func_other_args, output_types, reader_func, shard_func,
    compression="", hash_valid=False, hash=0, **attrs,
):
    leaves, types = _leaves(attrs, output_types)
    shard, read = Function(shard_func, shard_func_other_args), Function(reader_func, reader_func_other_args)
    graph = str((hash if hash_valid else fingerprint(input_dataset)) & 0xFFFFFFFFFFFFFFFF)
    return snapshots.Snapshot(input_dataset, path[()].decode(), compression, leaves, types, shard, read, graph)


@op("DatasetFingerprint", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def dataset_fingerprint(_, input_dataset):
    return np.array(fingerprint(input_dataset), np.uint64)
