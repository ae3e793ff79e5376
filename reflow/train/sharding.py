"""Sharding callbacks: how the tensors of a checkpoint are divided among its data files.

A callback gets the tensors as `ShardableTensor`s and returns a list of *shards*, {checkpoint key: {slice specification:
tensor}}. A slice specification (`slices`) says which part of a tensor it is; an empty string means the whole tensor.
The callback's result is checked: no tensor may be lost, added, reshaped or cast.
"""

from __future__ import annotations

import abc
import dataclasses
import math
import time
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from reflow.api.array.indexing import slice as slice_of
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core import logging as log
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor
from reflow.train import metrics, object_graph, slices
from reflow.train.gathering import Key
from reflow.train.saveables import SaveSpec
from reflow.train.shard_checks import validate_shards

TensorSlices = dict[str, Any]
Shard = dict[str, TensorSlices]


@export("train.experimental.ShardableTensor")
@dataclasses.dataclass(frozen=True)
class ShardableTensor:
    """A tensor of a checkpoint, with what a sharding callback may want to know about it.

    Args:
      _tensor_save_spec: What is saved, internally.
      tensor: The tensor.
      dtype: Its dtype.
      device: Its device.
      name: Its name.
      shape: Its shape.
      slice_spec: Which part of a larger tensor it is; "" for a whole one.
      checkpoint_key: Its key in the checkpoint.
      trackable: The object that it belongs to.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.train.experimental.ShardableTensor(None, x, x.dtype, None, "x", x.shape, "", "x", None).shape
    TensorShape([2])
    """

    _tensor_save_spec: SaveSpec | None
    tensor: Any
    dtype: dtypes.DType
    device: Any
    name: str
    shape: TensorShape
    slice_spec: str
    checkpoint_key: str
    trackable: Any

    def __hash__(self) -> int:
        return hash((self.name, self.dtype, str(self.device), self.checkpoint_key))

    def __repr__(self) -> str:
        fields = [f"  {field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self)]
        return "\n".join([f"\n{type(self).__name__}:", *fields])


@export("train.experimental.ShardingCallback")
class ShardingCallback(abc.ABC):
    """Base of the callbacks that divide the tensors of a checkpoint among its data files.

    >>> class OneEach(tf.train.experimental.ShardingCallback):
    ...     description = "a file for each tensor"
    ...     def __call__(self, shardable_tensors):
    ...         return [{t.checkpoint_key: {t.slice_spec: t.tensor}} for t in shardable_tensors]
    >>> OneEach().description
    'a file for each tensor'
    """

    @property
    @abc.abstractmethod
    def description(self) -> str:
        """What the callback does, for errors."""

    @abc.abstractmethod
    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        """Divides tensors among files.

        Args:
          shardable_tensors: `ShardableTensor`s.

        Returns:
          A list with a dictionary for each file, from keys and slice specs to tensors.
        """

    def __hash__(self) -> int:
        attributes = [(name, value) for name, value in vars(self).items() if isinstance(value, Hashable)]
        return hash((self.description, frozenset(attributes)))


@export("train.experimental.ShardByTaskPolicy")
class ShardByTaskPolicy(ShardingCallback):
    """One file for each process that writes; this is what happens without a callback.

    >>> tf.train.experimental.ShardByTaskPolicy().description
    'Split tensors into shards based on their device spec task.'
    """

    @property
    def description(self) -> str:
        return "Split tensors into shards based on their device spec task."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        shard: Shard = {}
        for each in shardable_tensors:
            shard.setdefault(each.checkpoint_key, {})[each.slice_spec] = each.tensor
        return [shard]


@export("train.experimental.MaxShardSizePolicy")
class MaxShardSizePolicy(ShardingCallback):
    """Divides a checkpoint into files of limited size; larger tensors are written in parts.

    A single number or string that is larger gets a file of its own. The object graph counts nothing.

    Args:
      max_shard_size: The size in bytes.

    >>> import os, tempfile
    >>> options = tf.train.CheckpointOptions(
    ...     experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(1024)
    ... )
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(v=tf.Variable(tf.zeros([512]))).write(os.path.join(folder, "ckpt"), options)
    >>> sorted(os.listdir(folder))
    ['ckpt.data-00000-of-00002', 'ckpt.data-00001-of-00002', 'ckpt.index']
    """

    def __init__(self, max_shard_size: int) -> None:
        self.max_shard_size = max_shard_size

    @property
    def description(self) -> str:
        return "Split tensors into shards with a max shard size."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        packer = _Packer(self.max_shard_size)
        for each in shardable_tensors:
            packer.add(each)
        return packer.finished()


class _Packer:
    """Fills one shard after the other."""

    def __init__(self, limit: int) -> None:
        self._limit = self._left = limit
        self._shards: list[Shard] = [{}]
        self._oversized: list[Shard] = []

    def finished(self) -> list[Shard]:
        return [*(self._shards if self._shards[0] else ()), *self._oversized]

    def add(self, each: ShardableTensor) -> None:
        item, total = _sizes(each)
        if not each.shape.rank:
            self._add_scalar(each, total)
            return
        if each.slice_spec:
            full, extents = slices.parse(each.slice_spec)
            offset = [start for start, _ in slices.ranges(extents, full)]
        else:
            full, offset = tuple(_lengths(each)), [0] * len(_lengths(each))
        self._add_parts(each, item, list(full), offset)

    def _new_shard(self) -> None:
        self._shards.append({})
        self._left = self._limit

    def _add_scalar(self, each: ShardableTensor, size: int) -> None:
        whole: Shard = {each.checkpoint_key: {each.slice_spec: each.tensor}}
        if size > self._limit:
            log.warn(
                "Tensor %s is a %s scalar of size %s bytes and cannot be partitioned into a shard of max shard size "
                "%s bytes. It will be added as an individual shard that exceeds the max shard size.",
                each.checkpoint_key, each.dtype, size, self._limit,
            )
            self._oversized.append(whole)
            return
        if size > self._left:
            self._new_shard()
        self._shards[-1].setdefault(each.checkpoint_key, {}).update(whole[each.checkpoint_key])
        self._left -= size

    def _add_parts(self, each: ShardableTensor, item: int, full: list[int], offset: list[int]) -> None:
        """Write a tensor, part by part, each as large as the open shard takes."""
        shape = _lengths(each)
        done = [0] * len(shape)
        rest = list(shape)
        while math.prod(rest) * item > self._left:
            axis, length = self._next_part(rest, item)
            if length == 0 and self._left < self._limit:
                self._new_shard()
                continue
            if length == 0:  # the thinnest part is too large for any shard
                axis, length = rest.index(max(rest)), 1
            part = [*rest[:axis], length, *rest[axis + 1 :]]
            size = math.prod(part) * item
            spec, tensor = _part(each, full, offset, done, part)
            if size > self._limit:
                log.warn(
                    "Tensor %s's minimum slice %s has size %s bytes and cannot be partitioned into a shard of max "
                    "shard size %s bytes. It will be added as an individual shard that exceeds the max shard size.",
                    each.checkpoint_key, spec, size, self._limit,
                )
                self._oversized.append({each.checkpoint_key: {spec: tensor}})
            else:
                self._shards[-1].setdefault(each.checkpoint_key, {})[spec] = tensor
                self._left -= size
                if self._left == 0:
                    self._new_shard()
            done[axis] += length
            rest = [n - d for n, d in zip(shape, done, strict=True)]
        if math.prod(rest) > 0:
            spec, tensor = _part(each, full, offset, done, rest)
            self._shards[-1].setdefault(each.checkpoint_key, {})[spec] = tensor
        self._left -= math.prod(rest) * item

    def _next_part(self, rest: list[int], item: int) -> tuple[int, int]:
        """The axis along which the fewest parts of `rest` fit the space that is left, and the length of such a part.

        0 if none fits.
        """
        count = math.prod(rest)

        def parts(axis: int) -> float:
            fitting = self._left // (count // rest[axis] * item)
            return math.ceil(rest[axis] / fitting) if fitting else math.inf

        best, fewest = 0, parts(0)
        for axis in range(1, len(rest)):
            number = parts(axis)
            if number < fewest and count * item / number <= self._left:
                best, fewest = axis, number
        return best, 0 if fewest == math.inf else math.ceil(rest[best] / fewest)


def _lengths(each: ShardableTensor) -> list[int]:
    """The shape of a tensor, which has a value and so no unknown length."""
    return [int(n) for n in each.shape.as_list() if n is not None]


def _sizes(each: ShardableTensor) -> tuple[int, int]:
    """Bytes of an element and of the whole; of strings, the longest counts for each.

    What cannot be known counts nothing.
    """
    if each.checkpoint_key == object_graph.OBJECT_GRAPH_KEY or each.dtype == dtypes.variant:
        return 0, 0
    if each.dtype != dtypes.string:
        return each.dtype.size, (each.shape.num_elements() or 0) * each.dtype.size
    if not hasattr(each.tensor, "numpy"):
        log.warn(
            "The checkpoint sharding policy is being executed in a tf.function. The size of the string/variant "
            "constant cannot be obtained."
        )
        return 0, 0
    lengths = [len(text) for text in convert_to_tensor(each.tensor)._host().reshape(-1).tolist()]
    return max(lengths, default=0), sum(lengths)


def _part(
    each: ShardableTensor, full: list[int], offset: list[int], done: list[int], part: list[int]
) -> tuple[str, Any]:
    start = [o + d for o, d in zip(offset, done, strict=True)]
    whole = part == _lengths(each)
    return slices.spec(full, start, part), each.tensor if whole else slice_of(each.tensor, done, part)


# ---------------------------------------------------------------- calling a callback


def shards_of(values: Mapping[Key, Any], owners: Mapping[Key, Any], callback: ShardingCallback) -> list[dict[Key, Any]]:
    """The values as a callback divides them, each shard with the keys of `bundle.write`."""
    tensors = [_shardable(key, convert_to_tensor(value), owners.get(key)) for key, value in values.items()]
    start = time.time()
    metrics.SetShardingCallbackDescription(callback.description)
    shards = callback(tensors)
    metrics.AddShardingCallbackDuration(round(1e6 * (time.time() - start)))
    validate_shards(shards, tensors, callback.description)
    return [
        {_key(name, spec): tensor for name, parts in shard.items() for spec, tensor in parts.items()}
        for shard in shards if shard
    ]


def _shardable(key: Key, tensor: Any, owner: Any) -> ShardableTensor:
    name, spec = (key, "") if isinstance(key, str) else (key.name, spec_of(key))
    own = SaveSpec(tensor, spec, name, tensor.dtype, tensor.device)
    return ShardableTensor(own, tensor, tensor.dtype, tensor.device, name, tensor.shape, spec, name, owner)


def spec_of(part: slices.Part) -> str:
    """The slice specification of a part."""
    ranges = slices.ranges(part.extents, part.full_shape)
    return slices.spec(part.full_shape, [start for start, _ in ranges], [end - start for start, end in ranges])


def _key(name: str, spec: str) -> Key:
    if not spec.strip():
        return name
    full, extents = slices.parse(spec)
    return slices.Part(name, full, extents)
