"""What a save writes: the objects below a root, their references, and their values by checkpoint key.

An object provides its values in one of three ways: `_serialize_to_tensors` returns tensors by name; the older
`_gather_saveables_for_checkpoint` returns functions that create saveable objects (`saveables`); or a saver is
registered for it (`reflow/tracking/registration.py`), which writes the values of many objects itself.

A value may be a tensor, a variable, bytes, a `SaveSpec`, or a dictionary of parts by slice specification.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from reflow.core import nest
from reflow.ops.convert import convert_to_tensor
from reflow.tracking import registration
from reflow.tracking.trackable import (
    ObjectGraphView,
    ObjectIdentityDictionary,
    Trackable,
    gathers_saveables,
    has_values,
)
from reflow.train import object_graph, slices
from reflow.train.object_graph import ObjectNode
from reflow.train.saveables import SaveableObject, SaveSpec, saveables_of

#: a key of the checkpoint: a tensor's, or that of a part of one
Key = str | slices.Part


@dataclasses.dataclass
class Gathered:
    """All that one save writes."""

    objects: list[Any]
    nodes: list[ObjectNode]
    values: dict[Key, Any] = dataclasses.field(default_factory=dict)
    #: the object that each value belongs to
    owners: dict[Key, Any] = dataclasses.field(default_factory=dict)
    #: name of a registered saver -> name of an object -> the object
    savers: dict[str, dict[str, Trackable]] = dataclasses.field(default_factory=dict)

    def add_object_graph(self) -> None:
        self.values[object_graph.OBJECT_GRAPH_KEY] = object_graph.build(self.nodes)
        self.owners[object_graph.OBJECT_GRAPH_KEY] = None


def walk(view: ObjectGraphView, skip_slot_variables: bool = False) -> tuple[Gathered, dict[int, str]]:
    """The objects below the root and their nodes, without values; and the path of each object, by its id."""
    objects, paths, edges = view._walk()
    names = {id(obj): object_graph.object_path([reference.name for reference in paths[obj]]) for obj in objects}
    ids = {id(obj): i for i, obj in enumerate(objects)}
    nodes = [ObjectNode([(name, ids[id(child)]) for name, child in edges[obj].items()]) for obj in objects]
    if not skip_slot_variables:
        _add_slot_variables(objects, nodes, names, ids)
    return Gathered(objects, nodes), names


def serialize(
    view: ObjectGraphView, skip_slot_variables: bool = False, instead: Callable[[Any], Any] = lambda obj: obj
) -> Gathered:
    """The objects below the root with their values.

    `instead` may give another object whose values are taken for one.
    """
    gathered, names = walk(view, skip_slot_variables)
    for obj, node in zip(gathered.objects, gathered.nodes, strict=True):
        source, path = instead(obj), names[id(obj)]
        saver = registration.get_registered_saver_name(source)
        if saver is not None:
            node.registered_saver = (saver, path)
            gathered.savers.setdefault(saver, {})[path] = source
        elif has_values(source):
            _add_values(source, node, path, gathered)
    return gathered


def _add_values(obj: Any, node: ObjectNode, path: str, gathered: Gathered) -> None:
    variable_like = hasattr(obj, "_should_act_as_resource_variable")
    full_name = getattr(obj, "_shared_name", "") if variable_like else ""
    if gathers_saveables(obj):
        names = []
        for name, saveable in saveables_at(obj, path).items():
            names.append(name)
            for spec in saveable.specs:
                _add(obj, spec.name, {spec.slice_spec: spec} if spec.slice_spec else spec, gathered)
    else:
        tensors = obj._serialize_to_tensors()
        names = list(tensors)
        legacy_name = getattr(type(obj), "_LEGACY_SAVEABLE_NAME", None)
        if legacy_name is not None and tensors and not conversion_forced:
            names = [legacy_name]  # one attribute represents all keys that begin with its name: those of a table
        for name, tensor in tensors.items():
            _add(obj, object_graph.checkpoint_key(path, _with_legacy(obj, name)), tensor, gathered)
    for name in names:
        key = object_graph.checkpoint_key(path, name)
        node.attributes.append((object_graph.escape_local_name(name), full_name, key))


#: whether objects that once were saved by saveable objects write one attribute for each tensor
conversion_forced = False


def force_checkpoint_conversion(value: bool = True) -> None:
    """Write the attributes of tables and their like one by one, which programs of old versions do not read."""
    global conversion_forced
    conversion_forced = value


def legacy_saveable_name(name: str) -> Callable[[type], type]:
    """A decorator of classes that were saved by one saveable object of that name before they had
    `_serialize_to_tensors`: their checkpoints stay as they were."""

    def decorate(cls: type) -> type:
        cls._LEGACY_SAVEABLE_NAME = name  # type: ignore[attr-defined]
        return cls

    return decorate


def get_saveable_name(obj: Any) -> str | None:
    """The name that `legacy_saveable_name` gave the object's class."""
    return getattr(obj, "_LEGACY_SAVEABLE_NAME", None)


def force_checkpoint_conversion_enabled() -> bool:
    return conversion_forced


def _with_legacy(obj: Any, name: str) -> str:
    """A tensor's name as it was when the object was saved by a saveable object: `-keys` of a table is `table-keys`."""
    legacy = getattr(type(obj), "_LEGACY_SAVEABLE_NAME", None)
    return name if legacy is None or conversion_forced else legacy + name


def saveables_at(obj: Any, path: str) -> dict[str, SaveableObject]:
    """The saveable objects of an object at a path, by the names of their attributes."""
    found: dict[str, SaveableObject] = {}
    for name, factory in obj._gather_saveables_for_checkpoint().items():
        found[name] = made_by(factory, object_graph.checkpoint_key(path, name))
    return found


def made_by(factory: Any, key: str) -> SaveableObject:
    """The saveable object of a factory, whose tensors have the given key or begin with it."""
    made = factory(name=key) if callable(factory) else factory
    (saveable,) = saveables_of(made, key)
    return saveable


def _add(obj: Any, key: str, value: Any, gathered: Gathered) -> None:
    parts = value.items() if isinstance(value, Mapping) else [("", value)]
    for spec, part in parts:
        full_key: Key = key
        if spec.strip():
            full, extents = slices.parse(spec)
            full_key = slices.Part(key, full, extents)
        gathered.values[full_key] = part
        gathered.owners[full_key] = obj


def by_object(gathered: Gathered) -> ObjectIdentityDictionary:
    """The values by object and key; a partitioned one is a dictionary by slice specification."""
    found = ObjectIdentityDictionary()
    for key, value in gathered.values.items():
        own = found.setdefault(gathered.owners[key], {})
        if isinstance(key, slices.Part):
            ranges = slices.ranges(key.extents, key.full_shape)
            spec = slices.spec(key.full_shape, [a for a, _ in ranges], [b - a for a, b in ranges])
            own.setdefault(key.name, {})[spec] = value
        else:
            own[key] = value
    return found


def value_of(value: Any) -> Any:
    """A tensor, or bytes. None if nothing is to be written."""
    value = value.tensor if isinstance(value, SaveSpec) else value
    return value if value is None or isinstance(value, bytes) else convert_to_tensor(value)


def _add_slot_variables(
    objects: list[Any], nodes: list[ObjectNode], names: dict[int, str], ids: dict[int, int]
) -> None:
    """Slot variables belong to an optimizer and a variable, and are not children; they come after all other objects."""
    others = list(objects)
    for optimizer_id, optimizer in enumerate(others):
        if not hasattr(type(optimizer), "get_slot_names"):
            continue
        for slot_name in optimizer.get_slot_names():
            for variable_id, variable in enumerate(others):
                try:
                    slot = optimizer.get_slot(variable, slot_name)
                except (AttributeError, KeyError):
                    slot = None
                if slot is None:
                    continue
                if id(slot) in ids:
                    raise NotImplementedError(
                        f"A slot variable was re-used as a dependency of a Trackable object: {slot}. This is not "
                        "currently allowed. File a feature request if this limitation bothers you."
                    )
                ids[id(slot)] = len(objects)
                names[id(slot)] = object_graph.slot_variable_path(names[id(variable)], names[id(optimizer)], slot_name)
                nodes[optimizer_id].slot_variables.append((variable_id, slot_name, len(objects)))
                objects.append(slot)
                nodes.append(ObjectNode())


class HostArrays(Mapping[Key, Any]):
    """Tensors by key, each brought to the host when it is written."""

    def __init__(self, tensors: Mapping[Key, Any]) -> None:
        self._tensors = tensors

    def __getitem__(self, key: Key) -> Any:
        value = self._tensors[key]
        return value if isinstance(value, (bytes, np.ndarray)) else convert_to_tensor(value)._host()

    def __iter__(self) -> Iterator[Key]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def prefixes_written_by(savers: Mapping[str, Mapping[str, Trackable]], file_prefix: Any) -> list[Any]:
    """Let the registered savers write their objects' values to separate checkpoints.

    Returns their prefixes, as tensors.
    """
    written: list[Any] = []
    for name, trackables in savers.items():
        own = convert_to_tensor(f"{file_prefix}-{name}") if isinstance(file_prefix, str) else file_prefix + f"-{name}"
        found = registration.get_save_function(name)(trackables=trackables, file_prefix=own)
        flat = [] if found is None else nest.flatten(found)
        if any(getattr(getattr(prefix, "dtype", None), "name", None) != "string" for prefix in flat):
            raise ValueError(f"Registered saver must return a (maybe empty) list of string type tensors. Got {found}.")
        written += flat
    return written
