"""The records of checkpoint ops, with which a `Saver` in a graph writes and reads the files of `bundle`.

`SaveV2` writes one shard. A sharded save writes each shard to its own prefix and joins them with `MergeV2Checkpoints`.
A string per tensor says which part of a partitioned variable it is (`slices`), empty for a whole one. A variant may be
the position of an iterator: it is stored as a string (`reflow/data/positions.py`). `Save`, `SaveSlices`, `Restore` and
`RestoreSlice` are the version 1 ops, whose files are `slice_files`; `RestoreV2` reads these too.
"""

from __future__ import annotations

import contextlib
import os

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.core.shapes import TensorShape
from reflow.core.types import Dims
from reflow.data import positions
from reflow.data.engine.older import Position
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.from_python import short_name
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.trace_words import rank, same_shape
from reflow.train import bundle, commit, slice_files, slices


def _text(value) -> str:
    return value[()].decode()


def _texts(values) -> list[str]:
    return [value.decode() for value in values.reshape(-1).tolist()]


@op("SaveV2", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def save_v2(_, prefix, tensor_names, shape_and_slices, tensors):
    bundle.write(_text(prefix), _by_key(tensor_names, shape_and_slices, tensors))
    return ()


@op("Save", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def save(_, filename, tensor_names, data):
    slice_files.write(_text(filename), _by_key(tensor_names, np.full(len(data), b"", object), data))
    return ()


@op("SaveSlices", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def save_slices(_, filename, tensor_names, shapes_and_slices, data):
    slice_files.write(_text(filename), _by_key(tensor_names, shapes_and_slices, data))
    return ()


def _by_key(tensor_names, shape_and_slices, tensors) -> dict[str | slices.Part, np.ndarray]:
    """The tensors to write, by the keys of the checkpoint."""
    names, specs = _texts(tensor_names), _texts(shape_and_slices)
    if not len(names) == len(specs) == len(tensors):
        raise errors.InvalidArgumentError(
            None, None, f"Got {len(names)} tensor names, {len(specs)} slices and {len(tensors)} tensors"
        )
    values: dict[str | slices.Part, np.ndarray] = {}
    for name, spec, tensor in zip(names, specs, tensors, strict=True):
        if isinstance(tensor, Position):
            tensor = np.array(positions.encode(tensor.state), object)
        values[_key(name, spec, tensor.shape) if spec else name] = tensor
    return values


def _key(name: str, spec: str, shape: tuple[int, ...]) -> slices.Part:
    full, extents = slices.parse(spec)
    if slices.shape_of(extents, full) != tuple(shape):
        raise errors.InvalidArgumentError(
            None, None,
            f"Slice of shape {TensorShape(slices.shape_of(extents, full))} does not match the shape of the tensor to "
            f"save: {TensorShape(shape)} ({name})",
        )
    return slices.Part(name, full, extents)


def _restored_shapes(f):
    """What the slices say; a whole tensor's shape stands in the file."""
    count, specs = len(f.attrs["dtypes"]), f.texts(2)
    if specs is None or specs.size != count:
        return [None] * count
    return [_slice_dims(spec) for spec in _texts(specs)]


def _slice_dims(spec: str) -> Dims | None:
    """The shape of a slice; None without one."""
    if not spec:
        return None
    full, extents = slices.parse(spec)
    return slices.shape_of(extents, full)


def _check_names_and_slices(f):
    """One slice for each name."""
    names, specs = f.shapes[1:]
    rank(f.shapes[0], 0)
    rank(names, 1)
    rank(specs, 1)
    same_shape(names, specs)


@op(
    "RestoreV2", shape=_restored_shapes, grad=NO_GRADIENT, host=True, effect=True, touches=("files",),
    trace_check=_check_names_and_slices,
)
def restore_v2(_, prefix, tensor_names, shape_and_slices, dtypes):
    return _read(prefix, tensor_names, shape_and_slices, dtypes)


@op("Restore", shape=rules.unknown, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def restore(_, file_pattern, tensor_name, dt, preferred_shard=-1):
    """A whole tensor. Which of the files is opened first changes nothing here: all are."""
    return _read(file_pattern, tensor_name, np.array(b"", object), [dt])[0]


def _restored_slice_shape(f):
    spec = f.texts(2)
    return [None if spec is None else _slice_dims(_text(spec))]


@op("RestoreSlice", shape=_restored_slice_shape, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def restore_slice(_, file_pattern, tensor_name, shape_and_slice, dt, preferred_shard=-1):
    return _read(file_pattern, tensor_name, shape_and_slice, [dt])[0]


def _read(prefix, tensor_names, shape_and_slices, dtypes) -> tuple:
    with slice_files.open_checkpoint(_text(prefix)) as reader:
        names, specs = _texts(tensor_names), _texts(shape_and_slices)
        missing = [name for name in names if name not in reader]
        if missing:
            raise errors.NotFoundError(None, None, f"Key {missing[0]} not found in checkpoint")
        return tuple(_restored(reader, *each) for each in zip(names, specs, dtypes, strict=True))


def _restored(reader: bundle.Reader, name: str, spec: str, dtype: dtypes.DType) -> np.ndarray | Position:
    stored = dtypes.as_dtype(reader.dtype_enum(name))
    if dtype is dtypes.variant and stored is dtypes.string:
        return Position(positions.decode(reader.get(name).item()))
    if stored is not dtype:
        raise errors.InvalidArgumentError(
            None, None,
            f"tensor_name = {name}; expected dtype {short_name(dtype)} does not equal original dtype "
            f"{short_name(stored)}",
        )
    if not spec:
        return reader.get(name)
    full, extents = slices.parse(spec)
    shape, _ = reader.shape_and_dtype(name)
    if shape != full:
        raise errors.InvalidArgumentError(
            None, None,
            f"tensor_name = {name}; shape in shape_and_slice spec {TensorShape(full)} does not match the shape stored "
            f"in checkpoint: {TensorShape(shape)}",
        )
    return reader.get_slice(name, extents)


@op("ShardedFilename", fits="0 0 0", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def sharded_filename(_, basename, shard, num_shards):
    require.scalars(basename=basename, shard=shard, num_shards=num_shards)
    return np.array(f"{_text(basename)}-{int(shard):05d}-of-{int(num_shards):05d}".encode(), object)


@op("ShardedFilespec", fits="0 0", shape=rules.scalar, grad=NO_GRADIENT, host=True)
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


# --- other vocabularies -----------------------------------------------------------------------------------------------


def _vocabulary(path: np.ndarray) -> list[bytes]:
    with os_errors(_text(path)), open(_text(path), "rb") as file:
        return file.read().splitlines()


@op(
    "GenerateVocabRemapping", shape=lambda f: [(f.attrs["num_new_vocab"],), ()], grad=NO_GRADIENT, host=True,
    touches=("files",),
)
def generate_vocab_remapping(_, new_vocab_file, old_vocab_file, new_vocab_offset, num_new_vocab, old_vocab_size=-1):
    """For each word of a new vocabulary its place in the old one, -1 if it is not there; and how many are."""
    old = _vocabulary(old_vocab_file)
    places = {word: i for i, word in enumerate(old if old_vocab_size < 0 else old[:old_vocab_size])}
    new = _vocabulary(new_vocab_file)[new_vocab_offset : new_vocab_offset + num_new_vocab]
    if len(new) < num_new_vocab:
        raise errors.InvalidArgumentError(
            None, None,
            f"Input vocab file has fewer than {new_vocab_offset + num_new_vocab} lines: {_text(new_vocab_file)}",
        )
    found = np.array([places.get(word, -1) for word in new], np.int64)
    return found, np.asarray((found >= 0).sum(), np.int32)


@op(
    "LoadAndRemapMatrix", shape=lambda f: [(f.attrs["num_rows"], f.attrs["num_cols"])], grad=NO_GRADIENT, host=True,
    effect=True, touches=("files",),
)
def load_and_remap_matrix(
    _, ckpt_path, old_tensor_name, row_remapping, col_remapping, initializing_values, num_rows, num_cols,
    max_rows_in_memory=-1,
):
    """A matrix of a checkpoint in another order of rows and columns.

    New ones take the initial values, one after the other.
    """
    for label, places in (("row_remapping", row_remapping), ("col_remapping", col_remapping)):
        if places.ndim != 1:
            raise errors.InvalidArgumentError(
                None, None, f"The {label} tensor must be 1-D, but its rank is {places.ndim}."
            )
    if row_remapping.size != num_rows:
        raise errors.InvalidArgumentError(
            None, None, f"Size of row_remapping ({row_remapping.size}) must equal num_rows ({num_rows})."
        )
    columns = col_remapping if col_remapping.size else np.arange(num_cols)
    if columns.size != num_cols:
        raise errors.InvalidArgumentError(
            None, None, f"Provided col_remapping, but its size ({columns.size}) differs from num_cols ({num_cols})."
        )
    prefix = _text(ckpt_path.reshape(()) if ckpt_path.size == 1 else ckpt_path)
    with slice_files.open_checkpoint(prefix) as reader:
        if _text(old_tensor_name) not in reader:
            raise errors.NotFoundError(None, None, f"Tensor {_text(old_tensor_name)} not found in checkpoint {prefix}")
        old = reader.get(_text(old_tensor_name))
    for label, places, size in (("row", row_remapping, old.shape[0]), ("col", columns, old.shape[1])):
        if (places >= size).any():
            raise errors.InvalidArgumentError(
                None, None, f"Maximum value in {label}_remapping must be less than {size}"
            )
        kept = places[places >= 0]
        if np.unique(kept).size != kept.size:
            raise errors.UnimplementedError(None, None, f"Old {label} IDs are mapped more than once")
    out = np.zeros((num_rows, num_cols), np.float32)
    new = (row_remapping < 0)[:, None] | (columns < 0)[None, :]
    if int(new.sum()) != initializing_values.size:
        raise errors.InvalidArgumentError(
            None, None,
            f"initializing_values contains {initializing_values.size} elements, but {int(new.sum())} missing "
            "values remain to be filled",
        )
    out[~new] = old[np.ix_(row_remapping[row_remapping >= 0], columns[columns >= 0])].reshape(-1)
    out[new] = initializing_values.reshape(-1)
    return out
