"""The records of checkpoint ops: what a `Saver` puts into a graph to write and read the files of `bundle`.

`SaveV2` writes one shard. A sharded save writes each shard to a prefix of its own and joins them by `MergeV2Checkpoints`. A text
per tensor says which part of a partitioned variable it is (`slices`), empty for a whole one.
"""

from __future__ import annotations

import contextlib
import os

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.core.shapes import TensorShape
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.from_python import short_name
from reflow.ops.registry import NO_GRADIENT, op
from reflow.train import bundle, commit, slices


def _text(value) -> str:
    return value[()].decode()


def _texts(values) -> list[str]:
    return [value.decode() for value in values.reshape(-1).tolist()]


@op("SaveV2", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def save_v2(_, prefix, tensor_names, shape_and_slices, tensors):
    names, specs = _texts(tensor_names), _texts(shape_and_slices)
    if not len(names) == len(specs) == len(tensors):
        raise errors.InvalidArgumentError(
            None, None, f"Got {len(names)} tensor names, {len(specs)} slices and {len(tensors)} tensors"
        )
    values: dict[str | slices.Part, np.ndarray] = {}
    for name, spec, tensor in zip(names, specs, tensors, strict=True):
        values[_key(name, spec, tensor.shape) if spec else name] = tensor
    bundle.write(_text(prefix), values)
    return ()


def _key(name: str, spec: str, shape: tuple[int, ...]) -> slices.Part:
    full, extents = slices.parse(spec)
    if slices.shape_of(extents, full) != tuple(shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Slice of shape {TensorShape(slices.shape_of(extents, full))} does not match the shape of the tensor to "
            f"save: {TensorShape(shape)} ({name})",
        )
    return slices.Part(name, full, extents)


def _restored_shapes(f):
    """What the slices say; a whole tensor's shape stands in the file."""
    count = len(f.attrs["dtypes"])
    specs = f.values[2]
    if specs is None or None in np.ravel(specs).tolist() or np.size(specs) != count:
        return [None] * count
    parsed = [slices.parse(spec) if spec else None for spec in _texts(np.asarray(specs))]
    return [None if p is None else slices.shape_of(p[1], p[0]) for p in parsed]


@op("RestoreV2", shape=_restored_shapes, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def restore_v2(_, prefix, tensor_names, shape_and_slices, dtypes):
    with bundle.Reader(_text(prefix)) as reader:
        names, specs = _texts(tensor_names), _texts(shape_and_slices)
        missing = [name for name in names if name not in reader]
        if missing:
            raise errors.NotFoundError(None, None, f"Key {missing[0]} not found in checkpoint")
        return tuple(_restored(reader, *each) for each in zip(names, specs, dtypes, strict=True))


def _restored(reader: bundle.Reader, name: str, spec: str, dtype: dtypes.DType) -> np.ndarray:
    stored = dtypes.as_dtype(reader.dtype_enum(name))
    if stored is not dtype:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"tensor_name = {name}; expected dtype {short_name(dtype)} does not equal original dtype "
            f"{short_name(stored)}",
        )
    if not spec:
        return reader.get(name)
    full, extents = slices.parse(spec)
    shape, _ = reader.shape_and_dtype(name)
    if shape != full:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"tensor_name = {name}; shape in shape_and_slice spec {TensorShape(full)} does not match the shape stored in "
            f"checkpoint: {TensorShape(shape)}",
        )
    return reader.get_slice(name, extents)


@op("ShardedFilename", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def sharded_filename(_, basename, shard, num_shards):
    require.scalars(basename=basename, shard=shard, num_shards=num_shards)
    return np.array(f"{_text(basename)}-{int(shard):05d}-of-{int(num_shards):05d}".encode(), object)


@op("ShardedFilespec", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def sharded_filespec(_, basename, num_shards):
    require.scalars(basename=basename, num_shards=num_shards)
    return np.array(f"{_text(basename)}-?????-of-{int(num_shards):05d}".encode(), object)


@op("MergeV2Checkpoints", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def merge_v2_checkpoints(
    _, checkpoint_prefixes, destination_prefix, delete_old_dirs=True, allow_missing_files=False
):
    prefixes = _texts(checkpoint_prefixes)
    if allow_missing_files:
        prefixes = [prefix for prefix in prefixes if os.path.exists(f"{prefix}.index")]
    merge(prefixes, _text(destination_prefix))
    if delete_old_dirs:
        for folder in {os.path.dirname(prefix) for prefix in prefixes}:
            with contextlib.suppress(OSError):  # it still holds other files
                os.rmdir(folder)
    return ()


def merge(prefixes: list[str], destination: str) -> None:
    """Make one checkpoint of several, whose data files become its shards. The old ones are gone afterwards."""
    entries: dict = {}
    data: list[str] = []
    for prefix in prefixes:
        with bundle.Reader(prefix) as reader:
            found = reader.entries()
            for key, entry in found.items():
                if key in entries and not entry.slices:
                    raise errors.InvalidArgumentError(
                        None, None, f"Two checkpoints that are merged hold the same tensor: {key.decode()}"
                    )
                if not entry.slices:
                    entry.shard_id += len(data)
            bundle.add_entries(entries, found)
            data += [commit.shard_path(prefix, i, reader.num_shards) for i in range(reader.num_shards)]
    folder = os.path.dirname(destination) or "."
    with os_errors(destination):
        os.makedirs(folder, exist_ok=True)
        with commit.folder_lock(folder):
            commit.publish(destination, data, lambda count: bundle.index_of(entries, count))
        for prefix in prefixes:
            commit.remove(f"{prefix}.index")
