"""`tensorflow.python.data.experimental.ops.snapshot`: snapshots of pipelines, in the newer and the older form."""

import os

from reflow.core import dtypes
from reflow.data.base import Family
from reflow.data.saving import file_attrs
from reflow.data.saving import snapshot as snapshot
from reflow.ops.convert import convert_to_tensor
from reflow.ops.random_state import get_seed

COMPRESSION_GZIP = "GZIP"
COMPRESSION_SNAPPY = "SNAPPY"
COMPRESSION_NONE = None


def legacy_snapshot(
    path, compression=None, reader_path_prefix=None, writer_path_prefix=None, shard_size_bytes=None,
    pending_snapshot_expiry_seconds=None, num_reader_threads=None, reader_buffer_size=None, num_writer_threads=None,
    writer_buffer_size=None, shuffle_on_read=None, shuffle_seed=None, mode=None, snapshot_name=None,
):
    """For `apply`: the same elements; the first whole pass writes them below `path`, later passes read them from there.

    `mode` is "auto", "read", "write" or "passthrough". A snapshot belongs to its pipeline, or has the name
    `snapshot_name`.
    """
    numbers = {
        "shard_size_bytes": shard_size_bytes, "pending_snapshot_expiry_seconds": pending_snapshot_expiry_seconds,
        "num_reader_threads": num_reader_threads, "reader_buffer_size": reader_buffer_size,
        "num_writer_threads": num_writer_threads, "writer_buffer_size": writer_buffer_size,
    }
    seed, seed2 = get_seed(shuffle_seed)
    attrs = {
        **{name: -1 if value is None else value for name, value in numbers.items()},
        "compression": compression or "", "reader_path_prefix": reader_path_prefix or "",
        "writer_path_prefix": writer_path_prefix or "", "shuffle_on_read": bool(shuffle_on_read), "seed": seed or 0,
        "seed2": seed2 or 0, "mode": mode or "auto", "snapshot_name": snapshot_name or "",
    }

    def apply(dataset: Family):
        where = convert_to_tensor(os.fspath(path), dtypes.string)
        return dataset._then("SnapshotDataset", (where,), attrs | file_attrs(dataset.element_spec))

    return apply
