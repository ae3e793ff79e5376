"""Passes the values of a checkpoint to objects.

An `Assignment` says which keys an object wants and passes it the tensors. Eager code reads them at once. In a
TensorFlow 1 graph the reads and assignments become nodes, which a session runs later (`GraphNodes`): they are created
once per object and keep working for other checkpoints, since the prefix is fed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.shapes import TensorShape, compatible, dims_of
from reflow.core.tensor import EagerTensor
from reflow.ops.convert import convert_to_tensor
from reflow.ops.from_python import short_name
from reflow.tracking import registration
from reflow.tracking.trackable import Trackable, gathers_saveables
from reflow.train import bundle, gathering, object_graph, saveables, slices
from reflow.train.object_graph import VARIABLE_VALUE, ObjectNode
from reflow.train.python_state import PythonState


@dataclasses.dataclass
class Assignment:
    """The keys of the values that an object takes, the parts of them that it wants (the whole, if empty),
    and what gives it the tensors."""

    obj: Any
    keys: list[str]
    specs: list[str]
    give: Callable[[Sequence[Any]], Any]


def assignments(obj: Any, node: ObjectNode, reader: bundle.Reader) -> list[Assignment]:
    """What an object takes of the values of a node."""
    if gathers_saveables(obj):
        return [_by_saveable(obj, made) for made in _saveables(obj, node)]
    named = _stored_keys(obj, node, reader)
    return [
        Assignment(
            obj, list(named.values()), [""] * len(named),
            lambda tensors: obj._restore_from_tensors(dict(zip(named, tensors, strict=True))),
        )
    ]


def _by_saveable(obj: Any, saveable: saveables.SaveableObject) -> Assignment:
    specs = [spec for spec in saveable.specs if spec.name]
    return Assignment(
        obj, [spec.name for spec in specs], [spec.slice_spec for spec in specs], lambda t: saveable.restore(t, None)
    )


def _saveables(obj: Any, node: ObjectNode) -> list[saveables.SaveableObject]:
    """The saveable objects of a node's attributes. Where the attributes are those of an object that serializes to
    tensors, the keys have only the path in common."""
    factories, found = obj._gather_saveables_for_checkpoint(), []
    for name, _, key in node.attributes:
        factory = factories.get(object_graph.unescape_local_name(name))
        if factory is None:
            path = extract_saveable_name(node.attributes[0][2])
            return [gathering.made_by(factory, path) for factory in factories.values()]
        found.append(gathering.made_by(factory, key))
    return found


def extract_saveable_name(key: str) -> str:
    """A checkpoint key without the name of the attribute.

    >>> extract_saveable_name("layer/kernel/.ATTRIBUTES/VARIABLE_VALUE")
    'layer/kernel/.ATTRIBUTES/'
    """
    path, mark, _ = key.rpartition(f"{object_graph.ATTRIBUTES}/")
    return path + mark


def extract_local_name(key: str) -> str:
    """The name of a checkpoint key's attribute.

    >>> extract_local_name("layer/kernel/.ATTRIBUTES/VARIABLE_VALUE")
    'VARIABLE_VALUE'
    """
    return object_graph.unescape_local_name(key.rpartition(f"{object_graph.ATTRIBUTES}/")[2])


def _stored_keys(obj: Any, node: ObjectNode, reader: bundle.Reader) -> dict[str, str]:
    """The node's keys by the names that `_serialize_to_tensors` gives the values."""
    found: dict[str, str] = {}
    legacy = getattr(type(obj), "_LEGACY_SAVEABLE_NAME", None) or ""
    for _, _, key in node.attributes:
        # An attribute may represent several keys that begin with its own: a table's `table-keys` and `table-values`.
        for stored in [key] if key in reader else [k for k in reader if k.startswith(key)]:
            found[extract_local_name(stored).removeprefix(legacy)] = stored
    if not found:
        reader.get(node.attributes[0][2])  # says which key is missing
    return found


# ---------------------------------------------------------------- giving


class GraphNodes:
    """The nodes of one graph that give objects their values; the prefix of the checkpoint is fed to `prefix`."""

    def __init__(self) -> None:
        self.prefix: Any = None
        self._made: dict[tuple[int, tuple[str, ...]], Any] = {}

    def nodes_for(self, due: Sequence[Assignment], reader: bundle.Reader, device: str | None) -> list[Any]:
        """A node for each assignment, made or found."""
        from reflow.compat.train import saver_ops

        if self.prefix is None:
            with state.graph.device("/device:CPU:0"):
                self.prefix = convert_to_tensor("model", dtypes.string)
        found = []
        for each in due:
            known = (id(each.obj), tuple(each.keys))
            if known not in self._made:
                (self._made[known],) = saver_ops.restore_values(self.prefix, [_Saveable(each, reader)], False, device)
            found.append(self._made[known])
        return [node for node in found if node is not None]


class _Saveable(saveables.SaveableObject):
    """An assignment as the makers of nodes want it."""

    def __init__(self, assignment: Assignment, reader: bundle.Reader) -> None:
        self._assignment = assignment
        both = zip(assignment.keys, assignment.specs, strict=True)
        specs = [saveables.SaveSpec(None, spec, key, dtypes.as_dtype(reader.dtype_enum(key))) for key, spec in both]
        super().__init__(assignment.obj, specs, assignment.keys[0])

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        done = self._assignment.give(restored_tensors)
        return state.graph.nodes[-1] if done is None else done


def assign(
    reader: bundle.Reader, due: Sequence[tuple[Trackable, ObjectNode]], nodes: GraphNodes | None = None,
    device: str | None = None,
) -> list[Any]:
    """Check all values against the objects that take them, then hand them over.

    Returns the nodes that do it, in a graph.
    """
    wanted = [each for obj, node in due for each in assignments(obj, node, reader)]
    for each in wanted:
        for key in each.keys:
            if key.endswith(f"{object_graph.ATTRIBUTES}/{VARIABLE_VALUE}"):
                check_variable(reader, each.obj, key)
    later = []
    for each in wanted:
        if nodes is None or isinstance(each.obj, PythonState):
            each.give([tensor_at(reader, key, spec) for key, spec in zip(each.keys, each.specs, strict=True)])
        else:
            later.append(each)
    return nodes.nodes_for(later, reader, device) if nodes is not None and later else []


def run_savers(savers: dict[str, dict[str, Trackable]], prefix: Any) -> list[Any]:
    """Let registered savers restore their objects from the checkpoint."""
    done = []
    for name, trackables in savers.items():
        restore = registration.get_restore_function(name)
        done.append(restore(trackables=trackables, merged_prefix=convert_to_tensor(prefix, dtypes.string)))
    return [each for each in done if each is not None]


def check_variable(reader: bundle.Reader, variable: Any, key: str) -> None:
    """Raise unless the stored value has the variable's dtype, and a shape that it admits."""
    shape, _ = reader.shape_and_dtype(key)
    stored = dtypes.as_dtype(reader.dtype_enum(key))
    if hasattr(variable, "dtype"):
        expected = dtypes.as_dtype(getattr(variable, "stored_dtype", variable.dtype))
        if expected is not stored:
            raise errors.InvalidArgumentError(
                None, None,
                f"tensor_name = {key}; expected dtype {short_name(expected)} does not equal original dtype "
                f"{short_name(stored)}",
            )
    if hasattr(variable, "shape") and not compatible(dims_of(variable.shape), shape):
        raise ValueError(
            f"Received incompatible tensor with shape {TensorShape(shape)} when attempting to restore "
            f"variable with shape {TensorShape(variable.shape)} and name {getattr(variable, 'name', None)}."
        )


def tensor_at(reader: bundle.Reader, key: str, spec: str = "") -> EagerTensor:
    """A stored tensor, or a part of it."""
    value = reader.get_slice(key, slices.parse(spec)[1]) if spec.strip() else reader.get(key)
    return EagerTensor(value, dtypes.as_dtype(reader.dtype_enum(key)))
