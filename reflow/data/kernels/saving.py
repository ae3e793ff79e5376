"""Records of the ops that save datasets to files and read them again."""

from __future__ import annotations

import numpy as np

from reflow.data.engine import snapshot_files as files
from reflow.data.engine import snapshots
from reflow.data.engine.buffers import SeedGenerator
from reflow.data.engine.fingerprints import fingerprint
from reflow.data.engine.legacy_snapshots import LegacySnapshot
from reflow.data.engine.values import Function
from reflow.data.kernels.dataset import Words, dataset_op, seeds
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op

#: of `SnapshotDataset`: how large a file grows, and after how many seconds a run that is not complete counts as lost
LARGE_SHARD, A_DAY = 10 << 30, 24 * 60 * 60


def _leaves(attrs, types):
    """Which components belong together: our own attribute, since TensorFlow's composites are single variants."""
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
    _, input_dataset, path, shard_func_other_args, shard_func, output_types, compression="", use_shard_func=True,
    **attrs,
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


@dataset_op("SnapshotDataset", touches=("files",))
def legacy_snapshot_dataset(
    _, input_dataset, path, output_types, compression="", reader_path_prefix="", writer_path_prefix="",
    shard_size_bytes=LARGE_SHARD, pending_snapshot_expiry_seconds=A_DAY, shuffle_on_read=False, seed=0, seed2=0,
    mode="auto", snapshot_name="", **attrs,
):
    leaves, types = _leaves(attrs, output_types)
    size = shard_size_bytes if shard_size_bytes > 0 else LARGE_SHARD
    expiry = pending_snapshot_expiry_seconds if pending_snapshot_expiry_seconds > 0 else A_DAY
    prefixes = reader_path_prefix, writer_path_prefix
    generator = SeedGenerator(Words, *seeds(seed, seed2), False) if shuffle_on_read else None
    where = path[()].decode(), compression, leaves, types
    return LegacySnapshot(input_dataset, *where, mode, snapshot_name, size, expiry, prefixes, generator)


@op("DatasetFingerprint", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def dataset_fingerprint(_, input_dataset):
    return np.array(fingerprint(input_dataset), np.uint64)
