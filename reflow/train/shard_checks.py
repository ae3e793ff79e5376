"""What a sharding callback may not do to the tensors of a checkpoint: lose, add, repeat, reshape, cast or move them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reflow.devices.names import DeviceSpec

if TYPE_CHECKING:
    from reflow.train.sharding import Shard, ShardableTensor


def validate_shards(
    shards: Sequence[Shard], shardable_tensors: Sequence[ShardableTensor], callback_description: str
) -> None:
    """Raise RuntimeError if a callback, described for the error, has made forbidden shards of tensors.

    It may divide a tensor into other slices.
    """
    expected: dict[str, dict[str, Any]] = {}
    for each in shardable_tensors:
        expected.setdefault(each.checkpoint_key, {})[each.slice_spec] = each.tensor
    seen: set[tuple[str, str]] = set()
    for shard in shards:
        first = None
        for key, spec, tensor in _parts(shard):
            problem = _changed(key, spec, tensor, expected, seen) or (first and _elsewhere(first, (key, spec, tensor)))
            if problem:
                _refuse(*problem, callback_description)
            seen.add((key, spec))
            first = first or (key, spec, tensor)
    found = {key for key, _ in seen}
    lost = [
        f"  tensor:\n    checkpoint_key: {key}\n    slice_spec: {parts}\n"
        for key, parts in expected.items() if key not in found
    ]
    if lost:
        _refuse(
            "tensors in the object graph were not found in the checkpoint shards", "".join(lost), callback_description
        )


def _parts(shard: Shard) -> Iterator[tuple[str, str, Any]]:
    return ((key, spec.strip(), tensor) for key, parts in shard.items() for spec, tensor in parts.items())


def _refuse(what: str, details: str, description: str) -> None:
    raise RuntimeError(
        f"After executing the checkpoint sharding callback, {what}:\n  callback_description: {description}\n{details}"
    )


def _changed(
    key: str, spec: str, tensor: Any, expected: Mapping[str, Mapping[str, Any]], seen: set[tuple[str, str]]
) -> tuple[str, str] | None:
    """What is wrong with a tensor of a shard, and where."""
    where = f"  checkpoint_key: {key}\n  slice_spec: {spec}\n"
    if (key, spec) in seen:
        return "multiple tensors with the same checkpoint key and slice spec were found", where
    if key not in expected:
        return "a tensor not originally in the object graph was found in the checkpoint shards", where
    whole = next(iter(expected[key].values()))
    original = expected[key].get(spec)
    compared = {"dtype": (whole.dtype, tensor.dtype), "task": (_task(whole), _task(tensor))}
    if original is not None:
        compared = {"shape": (original.shape, tensor.shape), **compared}
    for name, (before, after) in compared.items():
        if before != after:
            values = f"  original tensor_{name}: {before}\n  new tensor_{name}: {after}\n"
            return f"a tensor was found with an altered {name}", where + values
    return None


def _elsewhere(first: tuple[str, str, Any], other: tuple[str, str, Any]) -> tuple[str, str] | None:
    """What is wrong with two tensors in one shard: a shard is written by one task."""
    tasks = _task(first[2]), _task(other[2])
    if None in tasks or tasks[0] == tasks[1]:
        return None
    lines = [
        f"  tensor #{i}:    checkpoint_key: {key}\n    slice_spec: {spec}\n    task: {task}\n"
        for i, ((key, spec, _), task) in enumerate(zip((first, other), tasks, strict=True), 1)
    ]
    return "tensors with different tasks were found in the same shard", "".join(lines)


def _task(tensor: Any) -> int | None:
    return DeviceSpec.from_string(tensor.device).task
