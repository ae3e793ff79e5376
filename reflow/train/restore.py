"""Giving objects the values of a checkpoint.

A restore is a walk over two graphs at once: the one stored in the checkpoint and the live one below the root object. They
are matched edge by edge, by the names of children. A `CheckpointPosition` is a node of the stored graph; the
`RestoreCoordinator` is one restore: which node was matched with which object, what is still unused.

A stored child that has no live counterpart yet is left in the parent's `_deferred_dependencies`; when the parent gets a
child of that name, the walk goes on from there. Values are assigned in breadth-first order, after all of them were
checked. Of several restores that reach an object the latest, by `restore_uid`, gives the value.
"""

from __future__ import annotations

import collections
import os
import weakref
from collections.abc import Sequence

from reflow.core import dtypes, errors
from reflow.core import logging as log
from reflow.core.context import init_scope, new_id
from reflow.core.shapes import TensorShape, compatible, dims_of
from reflow.core.tensor import EagerTensor
from reflow.ops.from_python import short_name
from reflow.tracking.data_structures import TrackableDataStructure
from reflow.tracking.trackable import ObjectIdentitySet, Trackable, has_values
from reflow.train import bundle, object_graph
from reflow.train.object_graph import OBJECT_GRAPH_KEY, VARIABLE_VALUE, ObjectNode

#: the reader last used, by path and state of the index file
_recent: dict[tuple, bundle.Reader] = {}


def open_reader(prefix: str) -> bundle.Reader:
    """The reader of a checkpoint. The last one stays open: a model that is built after a restore asks once per variable."""
    try:
        info = os.stat(f"{prefix}.index")
    except OSError:
        return bundle.Reader(prefix)  # says what is wrong
    version = (os.path.abspath(prefix), info.st_dev, info.st_ino, info.st_mtime_ns, info.st_size)
    reader = _recent.get(version)
    if reader is None:
        reader = bundle.Reader(prefix)
        _recent.clear()
        _recent[version] = reader
    return reader


def forget_reader(prefix: str):
    """Let go of a checkpoint's files, which would keep their space on the disk after they are deleted."""
    if any(version[0] == os.path.abspath(prefix) for version in list(_recent)):
        _recent.clear()


class RestoreCoordinator:
    """One restore of one checkpoint, possibly still going on."""

    def __init__(self, save_path: str, nodes: list[ObjectNode], skip_slot_variables: bool = False):
        self.save_path = save_path
        self.nodes = nodes
        self.nodes_with_values = object_graph._nodes_with_values(nodes)
        self.restore_uid = new_id()
        #: node id -> names of stored values that the object does not take
        self.unused_attributes: dict[int, list[str]] = {}
        self.matched_ids: set[int] = set()
        #: all live objects that were met, matched or not
        self.all_python_objects = WeakObjects()
        self._objects: dict[int, object] = {}
        #: node id of a variable -> (node id of an optimizer, slot name, node id of the slot variable)
        self.slot_restorations: dict[int, list[tuple[int, str, int]]] = collections.defaultdict(list)
        #: node id of an optimizer not yet met -> (variable, slot name, node id of the slot variable)
        self.deferred_slot_restorations: dict[int, list[tuple]] = collections.defaultdict(list)
        if not skip_slot_variables:
            for optimizer, node in enumerate(nodes):
                for variable, slot_name, slot in node.slot_variables:
                    self.slot_restorations[variable].append((optimizer, slot_name, slot))
        self._warning = weakref.finalize(self, _warn_of_unused, nodes, self.matched_ids, self.unused_attributes)

    def __deepcopy__(self, memo):
        return self

    def expect_partial(self):
        """Do not warn, at the end, of values that were never used."""
        self._warning.detach()

    def is_complete(self) -> bool:
        """Whether every stored value has found its object."""
        return all(node_id in self.matched_ids for node_id, node in enumerate(self.nodes) if node.attributes)

    def object_of(self, node_id: int):
        """The live object that was matched with a node, if it still exists."""
        reference = self._objects.get(node_id)
        return reference() if isinstance(reference, weakref.ref) else reference

    def matched_objects(self) -> list:
        found = (self.object_of(node_id) for node_id in self._objects)
        return [x for x in found if x is not None]

    def bind(self, node_id: int, trackable) -> bool:
        """Match a node with an object; False if the node has one already."""
        self.all_python_objects.add(trackable)
        self.matched_ids.add(node_id)
        current = self.object_of(node_id)
        if current is None:
            self._objects[node_id] = _weak(trackable)
            return True
        if current is not trackable:
            log.warn(
                "Inconsistent references when loading the checkpoint into this object graph. For example, in the saved "
                "checkpoint object, `model.layer.weight` and `model.layer_copy.weight` reference the same "
                "variable, while in "
                "the current object these are two different variables. The referenced variables are:(%s and %s).",
                current,
                trackable,
            )
        return False


def _weak(obj):
    """A weak reference, so that an unfinished restore keeps nothing alive; a tuple, which has none, as it is."""
    try:
        return weakref.ref(obj)
    except TypeError:
        return obj


class WeakObjects:
    """A set of objects by identity that does not keep them alive."""

    def __init__(self):
        self._references: dict[int, object] = {}

    def add(self, obj):
        self._references[id(obj)] = _weak(obj)

    def __iter__(self):
        for reference in list(self._references.values()):
            obj = reference() if isinstance(reference, weakref.ref) else reference
            if obj is not None:
                yield obj


class CheckpointPosition:
    """A node of a checkpoint's object graph."""

    __slots__ = ("checkpoint", "node_id")

    def __init__(self, checkpoint: RestoreCoordinator, node_id: int):
        self.checkpoint, self.node_id = checkpoint, node_id

    node = property(lambda self: self.checkpoint.nodes[self.node_id])
    restore_uid = property(lambda self: self.checkpoint.restore_uid)

    def restore(self, trackable):
        """Give `trackable` and all below it the stored values."""
        with init_scope():
            if self.checkpoint.bind(self.node_id, trackable):
                self._restore_descendants(trackable)

    def is_simple_variable(self) -> bool:
        node = self.node
        return len(node.attributes) == 1 and node.attributes[0][0] == VARIABLE_VALUE and not node.children

    def value_shape(self) -> TensorShape:
        """The shape of the stored value of a variable."""
        key = next(key for name, _, key in self.node.attributes if name == VARIABLE_VALUE)
        return TensorShape(open_reader(self.checkpoint.save_path).shape_and_dtype(key)[0])

    def _restore_descendants(self, trackable):
        checkpoint, due = self.checkpoint, []
        pending = collections.deque([(self, trackable)])
        while pending:
            position, obj = pending.popleft()
            obj._maybe_initialize_trackable()
            if checkpoint.restore_uid > obj._update_uid:
                obj._update_uid = checkpoint.restore_uid
                if position._takes_values(obj):
                    due.append((obj, position.node))
            position._queue_children(obj, pending)
            position._queue_slot_variables(obj, pending)
        if due:
            assign(open_reader(checkpoint.save_path), due)
        if checkpoint.is_complete():
            forget_reader(checkpoint.save_path)

    def _takes_values(self, obj) -> bool:
        node = self.node
        unused = [name for name, _, _ in node.attributes]
        if node.registered_saver is not None:
            unused.append(f"registered saver {node.registered_saver[0]}")
        elif has_values(obj):
            return bool(node.attributes)
        if unused:
            self.checkpoint.unused_attributes[self.node_id] = unused
        return False

    def _queue_children(self, obj, pending):
        checkpoint = self.checkpoint
        live = obj._trackable_children()
        for name, child_id in self.node.children:
            if checkpoint.object_of(child_id) is not None:
                continue
            position = CheckpointPosition(checkpoint, child_id)
            child = obj._lookup_dependency(name, live)
            if child is None:
                if child_id in checkpoint.nodes_with_values:
                    obj._deferred_dependencies.setdefault(name, []).append(position)
            elif checkpoint.bind(child_id, child):
                pending.append((position, child))

    def _queue_slot_variables(self, obj, pending):
        """`obj` may be an optimizer whose variables were met before, or a variable that has slots."""
        checkpoint = self.checkpoint
        for variable, slot_name, slot_id in checkpoint.deferred_slot_restorations.pop(self.node_id, ()):
            self._queue_slot(obj, variable, slot_name, slot_id, pending)
        for optimizer_id, slot_name, slot_id in checkpoint.slot_restorations.pop(self.node_id, ()):
            optimizer = checkpoint.object_of(optimizer_id)
            if optimizer is None:
                checkpoint.deferred_slot_restorations[optimizer_id].append((obj, slot_name, slot_id))
            elif hasattr(optimizer, "_create_or_restore_slot_variable"):
                self._queue_slot(optimizer, obj, slot_name, slot_id, pending)

    def _queue_slot(self, optimizer, variable, slot_name, slot_id, pending):
        position = CheckpointPosition(self.checkpoint, slot_id)
        slot = optimizer._create_or_restore_slot_variable(
            slot_variable_position=position, variable=variable, slot_name=slot_name
        )
        if slot is not None and self.checkpoint.bind(slot_id, slot):
            pending.append((position, slot))


# ---------------------------------------------------------------- values


def assign(reader: bundle.Reader, due: Sequence[tuple[Trackable, ObjectNode]]):
    """Check all values against the objects that take them, then hand them over."""
    for obj, node in due:
        for name, _, key in node.attributes:
            if name == VARIABLE_VALUE:
                check_variable(reader, obj, key)
    for obj, node in due:
        obj._restore_from_tensors(stored_tensors(reader, node))


def check_variable(reader: bundle.Reader, variable, key: str):
    """Raise unless the stored value has the variable's dtype, and a shape that it admits."""
    shape, _ = reader.shape_and_dtype(key)
    stored = dtypes.as_dtype(reader.dtype_enum(key))
    if hasattr(variable, "dtype"):
        expected = dtypes.as_dtype(getattr(variable, "stored_dtype", variable.dtype))
        if expected is not stored:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"tensor_name = {key}; expected dtype {short_name(expected)} does not equal original dtype "
                f"{short_name(stored)}",
            )
    if hasattr(variable, "shape") and not compatible(dims_of(variable.shape), shape):
        raise ValueError(
            f"Received incompatible tensor with shape {TensorShape(shape)} when attempting to restore "
            f"variable with shape {TensorShape(variable.shape)} and name {getattr(variable, 'name', None)}."
        )


def tensor_at(reader: bundle.Reader, key: str) -> EagerTensor:
    return EagerTensor(reader.get(key), dtypes.as_dtype(reader.dtype_enum(key)))


def stored_tensors(reader: bundle.Reader, node: ObjectNode) -> dict[str, EagerTensor]:
    """The node's values by the names that `_serialize_to_tensors` gave them."""
    tensors = {}
    for _, _, key in node.attributes:
        # An attribute may stand for several keys that begin with its own: a table's `table-keys` and `table-values`.
        for found in [key] if key in reader else [k for k in reader if k.startswith(key)]:
            name = object_graph.unescape_local_name(found.rpartition(f"{object_graph.ATTRIBUTES}/")[2])
            tensors[name] = tensor_at(reader, found)
    if not tensors:
        reader.get(node.attributes[0][2])  # says which key is missing
    return tensors


# ---------------------------------------------------------------- status


def node_names(nodes: list[ObjectNode]) -> dict[int, str]:
    """A readable path for each node: `(root).model.kernel`."""
    names, pending = {0: "(root)"}, collections.deque([0])
    while pending:
        node_id = pending.popleft()
        for name, child in nodes[node_id].children:
            if child not in names:
                names[child] = f"{names[node_id]}.{name}"
                pending.append(child)
    for node_id, node in enumerate(nodes):
        for variable, slot_name, slot in node.slot_variables:
            names[slot] = f"{names.get(node_id)}'s state '{slot_name}' for {names.get(variable)}"
    return collections.defaultdict(lambda: "(unreachable)", names)


def _warn_of_unused(nodes, matched_ids, unused_attributes):
    unused = [i for i, node in enumerate(nodes) if node.attributes and i not in matched_ids]
    if not (unused or unused_attributes):
        return
    names = node_names(nodes)
    log.warn(
        "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored values. See "
        "the following logs for the specific values in question. To silence these warnings, use "
        "`status.expect_partial()`. See "
        "https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint#restore for details about the status "
        "object returned by the restore function."
    )
    for i in unused:
        log.warn("Value in checkpoint could not be found in the restored object: %s", names[i])
    for i, attributes in unused_attributes.items():
        log.warn(
            "An attribute in the restored object could not be found in the checkpoint. Object: %s, attribute: %s",
            names[i],
            attributes,
        )


class CheckpointLoadStatus:
    """What `tf.train.Checkpoint.restore` returns: assertions about what was restored so far."""

    def __init__(self, checkpoint: RestoreCoordinator, list_objects, root, skip_slot_variables: bool = False):
        self._checkpoint = checkpoint
        self._list_objects = list_objects
        self._root = root
        self._skip_slot_variables = skip_slot_variables

    def assert_consumed(self):
        """Raise unless every value in the checkpoint was taken and every object that holds values got one."""
        self.assert_existing_objects_matched()
        checkpoint = self._checkpoint
        names = node_names(checkpoint.nodes)
        slots = {slot for node in checkpoint.nodes for _, _, slot in node.slot_variables}
        skipped = slots if self._skip_slot_variables else ()
        for node_id, node in enumerate(checkpoint.nodes):
            if node.attributes and node_id not in skipped and checkpoint.object_of(node_id) is None:
                raise AssertionError(f"Unresolved object in checkpoint {names[node_id]}: {_describe(node)}")
        if checkpoint.slot_restorations:
            raise AssertionError(f"Unresolved slot restorations: {dict(checkpoint.slot_restorations)}")
        if checkpoint.unused_attributes:
            unused = checkpoint.unused_attributes.items()
            lines = [f"{names[i]} ({checkpoint.object_of(i)}): {attributes}" for i, attributes in unused]
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not "
                "restored):\n" + "\n".join(lines)
            )
        return self

    def assert_existing_objects_matched(self):
        """Raise if an object below the root that holds values has none in the checkpoint."""
        checkpoint = self._checkpoint
        for node_id, node in enumerate(checkpoint.nodes):
            obj = checkpoint.object_of(node_id)
            if obj is not None and obj._update_uid < checkpoint.restore_uid:
                raise AssertionError(f"Object {_describe(node)} not assigned a value from checkpoint.")
        self._note_objects()
        unmatched = self._unmatched()
        if unmatched:
            shown = unmatched[:10]
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {len(shown)} of {len(unmatched)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self):
        """Raise if nothing but the root was matched."""
        self._note_objects()
        if len(self._checkpoint.matched_objects()) <= 1:
            unmatched = self._unmatched()
            if unmatched:
                raise AssertionError(
                    "Nothing except the root object matched a checkpointed value. Typically this means that the "
                    "checkpoint does not "
                    f"match the Python program. The following objects have no matching checkpointed value: {unmatched}"
                )
            raise AssertionError(f"Nothing to load. No dependencies have been added to {self._root} yet.")
        return self

    def expect_partial(self):
        """Do not warn of values in the checkpoint that are not used."""
        self._checkpoint.expect_partial()
        return self

    def run_restore_ops(self, session=None):
        """Nothing: values are restored at once."""

    def initialize_or_restore(self, session=None):
        """Nothing: values are restored at once."""

    def _note_objects(self):
        for obj in self._list_objects(self._skip_slot_variables):
            if not isinstance(obj, TrackableDataStructure) or obj._trackable_children():
                self._checkpoint.all_python_objects.add(obj)

    def _unmatched(self) -> list:
        matched = ObjectIdentitySet(self._checkpoint.matched_objects())
        return [x for x in self._checkpoint.all_python_objects if has_values(x) and x not in matched]


def _describe(node: ObjectNode) -> str:
    lines = [f'children {{ node_id: {child} local_name: "{name}" }}' for name, child in node.children]
    lines += [
        f'attributes {{ name: "{name}" full_name: "{full}" checkpoint_key: "{key}" }}'
        for name, full, key in node.attributes
    ]
    return "\n".join(lines)


class InitializationOnlyStatus:
    """What `restore(None)` returns: there was no checkpoint, so every assertion fails."""

    def _fail(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _fail

    def run_restore_ops(self, session=None):
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session=None):
        """Nothing: variables are initialized when they are made."""

    def expect_partial(self):
        return self


class NameBasedSaverStatus:
    """What restoring a checkpoint of TensorFlow 1 returns: variables were matched by their names."""

    def __init__(self, missing: list, list_objects):
        self._missing = missing
        self._list_objects = list_objects
        self._optional: list = []

    def add_to_optionally_restored(self, variable):
        self._optional.append(variable)

    def assert_consumed(self):
        """Raise if a variable was not in the checkpoint."""
        optional = ObjectIdentitySet(self._optional)
        missing = [x for x in self._missing if x not in optional]
        if missing:
            lines = "".join(f"\n    {x}: [{VARIABLE_VALUE!r}]" for x in missing)
            raise AssertionError(f"Some objects had attributes which were not restored: {lines}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session=None):
        """Nothing: values are restored at once."""

    initialize_or_restore = run_restore_ops

    def expect_partial(self):
        return self


# ---------------------------------------------------------------- entry


def restore(save_path: str | None, view, list_objects, skip_slot_variables: bool = False):
    """Restore everything below `view.root` that the checkpoint knows; returns the status."""
    if save_path is None:
        return InitializationOnlyStatus()
    reader = open_reader(save_path)
    if OBJECT_GRAPH_KEY not in reader:
        return _restore_by_name(reader, list_objects)
    nodes = object_graph.parse(_scalar_string(reader))
    if not nodes:
        raise errors.DataLossError(None, None, f"corrupt object graph in checkpoint {save_path}: it has no nodes")
    checkpoint = RestoreCoordinator(save_path, nodes, skip_slot_variables)
    root = view.root
    CheckpointPosition(checkpoint, 0).restore(root)
    by_name = dict(nodes[0].children)
    for name, obj in view.attached_dependencies or ():
        if name != "root" and name in by_name and checkpoint.object_of(by_name[name]) is None:
            CheckpointPosition(checkpoint, by_name[name]).restore(obj)
    return CheckpointLoadStatus(checkpoint, list_objects, root, skip_slot_variables)


def _scalar_string(reader: bundle.Reader) -> bytes:
    value = reader.get(OBJECT_GRAPH_KEY)
    if value.dtype != object or value.shape:
        raise errors.DataLossError(
            None, None, f"corrupt object graph in checkpoint {reader.prefix}: it is not a string"
        )
    return value.item()


def _restore_by_name(reader: bundle.Reader, list_objects) -> NameBasedSaverStatus:
    log.warn(
        "Restoring a name-based tf.train.Saver checkpoint using the object-based restore API. This mode uses "
        "global names to match variables, and so is somewhat fragile."
    )
    due, missing = [], []
    for obj in list_objects():
        if has_values(obj) and hasattr(obj, "_shared_name"):
            key = obj._shared_name
            if key in reader:
                due.append((obj, key))
            else:
                missing.append(obj)
    for obj, key in due:
        check_variable(reader, obj, key)
    with init_scope():
        for obj, key in due:
            obj._maybe_initialize_trackable()
            obj._update_uid = new_id()
            obj._restore_from_tensors({VARIABLE_VALUE: tensor_at(reader, key)})
    return NameBasedSaverStatus(missing, list_objects)
