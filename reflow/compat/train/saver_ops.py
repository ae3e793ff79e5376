"""The nodes that a `Saver` adds to a graph: they write the variables to a checkpoint and restore them.

They have TensorFlow's names (`save/Const` takes the prefix, `save/restore_all` restores), and a `SaverDef` names them:
any program can restore a graph that was written with one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from tensorboard.compat.proto.saver_pb2 import SaverDef

from reflow.api.array.arrange import identity, shape, stack
from reflow.api.control.printing import group
from reflow.api.math.arithmetic import where
from reflow.api.strings.elementwise import regex_full_match
from reflow.api.strings.rows import join
from reflow.compat.functions import placeholder_with_default
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.name_scope import name_scope
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run
from reflow.train.saveables import SaveableObject, SaveSpec


def add_saver(
    saveables: Sequence[SaveableObject], options: SaverDef, name: str | None, filename: str | None, reshapes: bool
) -> SaverDef:
    """Add the nodes to the default graph; `options` are those parts of the SaverDef that the program chose."""
    with name_scope(name or "save"):
        default = placeholder_with_default(_named_constant(filename or "model", "filename/input"), (), name="filename")
        prefix = placeholder_with_default(default, (), name="Const")
        if options.sharded:
            saved, restored = _sharded(saveables, prefix, reshapes, options.version)
        else:
            saved = _written(prefix, saveables, options.version)
            restored = _restored(prefix, saveables, reshapes, "restore_all")
    out = SaverDef()
    out.CopyFrom(options)
    out.filename_tensor_name, out.save_tensor_name, out.restore_op_name = prefix.name, saved.name, restored.name
    return out


def _named_constant(value: Any, name: str) -> Any:
    """A constant below a name that the caller's node will have."""
    graph = state.graph
    if graph is None:
        return constant(value, dtypes.string)
    with graph.name_scope_for(name):
        return constant(value, dtypes.string, name=name)


def save_values(prefix: Any, saveables: Sequence[SaveableObject], version: int = SaverDef.V2) -> None:
    """Write the tensors of saveables under a prefix, in a version of the format."""
    specs = [spec for saveable in saveables for spec in saveable.specs]
    tensors = [spec.tensor for spec in specs]
    kinds = [t.dtype for t in tensors]
    if version == SaverDef.V1:
        _run("SaveSlices", prefix, specs, *tensors, T=kinds)
    else:
        _run("SaveV2", prefix, specs, *tensors, dtypes=kinds)


def _run(op: str, prefix: Any, specs: Sequence[Any], *tensors: Any, **attrs: Any) -> Any:
    """A checkpoint op, with the names and slices of what it writes or reads."""
    names = _named_constant([spec.name for spec in specs], f"{op}/tensor_names")
    parts = _named_constant([spec.slice_spec for spec in specs], f"{op}/shape_and_slices")
    return run(op, convert_to_tensor(prefix, dtypes.string), names, parts, *tensors, **attrs)


def _written(prefix: Any, saveables: Sequence[SaveableObject], version: int) -> Any:
    """The prefix, after everything has been written."""
    save_values(prefix, saveables, version)
    with state.graph.control_dependencies([state.graph.nodes[-1]]):
        return identity(prefix, name="control_dependency")


def read(prefix: Any, specs: Sequence[SaveSpec], device: str | None = None) -> list:
    """The tensors that specs name."""
    place = contextlib.nullcontext() if state.graph is None else state.graph.device(device or "/device:CPU:0")
    with place:
        found = _run("RestoreV2", prefix, specs, dtypes=[spec.dtype for spec in specs])
    return list(found) if isinstance(found, (list, tuple)) else [found]


def restore_values(prefix: Any, saveables: Sequence[SaveableObject], reshapes: bool, device: str | None = None) -> list:
    """Read the tensors of saveables and hand them over; what their `restore` methods returned."""
    tensors = iter(read(prefix, [spec for saveable in saveables for spec in saveable.specs], device))
    results = []
    for saveable in saveables:
        own = [next(tensors) for _ in saveable.specs]
        results.append(saveable.restore(own, [_shape(s.tensor) for s in saveable.specs] if reshapes else None))
    return results


def _shape(tensor: Any) -> Any:
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else shape(tensor)


def _restored(prefix: Any, saveables: Sequence[SaveableObject], reshapes: bool, name: str) -> Any:
    return group(*[r for r in restore_values(prefix, saveables, reshapes) if r is not None], name=name)


# --- shards: a file for each device -----------------------------------------------------------------------------------


def _sharded(saveables: Sequence[SaveableObject], prefix: Any, reshapes: bool, version: int) -> tuple[Any, Any]:
    """Each device's variables are written to a temporary checkpoint; all together become the shards of one. In version
    1 each is a file of its own, and the checkpoint's name a pattern."""
    graph = state.graph
    devices: dict[str, list[SaveableObject]] = {}
    for saveable in saveables:
        devices.setdefault(saveable.device or "", []).append(saveable)
    base = prefix
    if version != SaverDef.V1:
        remote = regex_full_match(prefix, "^s3://.*")  # a store in which nothing can be renamed
        base = join([prefix, where(remote, constant(".part"), constant(f"_temp_{_unique()}/part"))])
    count = constant(len(devices), dtypes.int32, name="num_shards")
    names, written = [], []
    for i, group_ in enumerate(devices[d] for d in sorted(devices)):
        names.append(run("ShardedFilename", base, constant(i, dtypes.int32), count))
        written.append(_written(names[-1], group_, version))
    if version == SaverDef.V1:
        with graph.control_dependencies(written):
            saved = run("ShardedFilespec", prefix, count)
    else:
        saved = _merged(names, written, prefix)
    restores = [_restored(prefix, devices[d], reshapes, "restore_shard") for d in sorted(devices)]
    return saved, group(*restores, name="restore_all")


def _merged(names: list, written: list, prefix: Any) -> Any:
    """The prefix, after the checkpoints of these names have become one."""
    graph = state.graph
    with graph.control_dependencies(written):
        parts = stack(names)
    run("MergeV2Checkpoints", parts, prefix, delete_old_dirs=True)
    with graph.control_dependencies([*written, graph.nodes[-1]]):
        return identity(prefix)


def _unique() -> str:
    import uuid

    return uuid.uuid4().hex
