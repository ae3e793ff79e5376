"""Restores the values of a checkpoint into objects.

A restore walks two graphs at once: the one stored in the checkpoint and the live one below the root object. They are
matched edge by edge, by the names of children. A `CheckpointPosition` is a node of the stored graph. The
`RestoreCoordinator` is one restore: which node was matched with which object, and what is still unused.

A stored child without a live counterpart is left in the parent's `_deferred_dependencies`; when the parent gets a child
of that name, the walk continues from there. Values are assigned in breadth-first order, after all of them were checked.
If several restores reach an object, the latest, by `restore_uid`, provides the value.
"""

from __future__ import annotations

import collections
import os
import weakref
from typing import Any

from reflow.core import dtypes, errors
from reflow.core import logging as log
from reflow.core.context import init_scope, new_id, state
from reflow.core.shapes import TensorShape
from reflow.tracking import registration
from reflow.tracking.trackable import has_values
from reflow.train import bundle, object_graph
from reflow.train.object_graph import OBJECT_GRAPH_KEY, VARIABLE_VALUE, ObjectNode
from reflow.train.restore_status import CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus
from reflow.train.restored_values import GraphNodes, assign, check_variable, run_savers, tensor_at
from reflow.train.slice_files import open_checkpoint

#: the reader last used, by path and state of the index file
_recent: dict[tuple, bundle.Reader] = {}


def open_reader(prefix: str) -> bundle.Reader:
    """The reader of a checkpoint.

    The last one stays open: a model that is built after a restore asks once per variable.
    """
    try:
        info = os.stat(f"{prefix}.index")
    except OSError:
        return open_checkpoint(prefix)  # of version 1, or it says what is wrong
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

    def __init__(
        self, save_path: str, nodes: list[ObjectNode], skip_slot_variables: bool = False,
        graph_nodes: GraphNodes | None = None, device: str | None = None,
    ):
        self.save_path = save_path
        #: what makes nodes for the restore, in a graph of TensorFlow 1, and the nodes of this restore
        self.graph_nodes, self.restore_ops, self.device = graph_nodes, [], device  # type: ignore[var-annotated]
        #: the session that runs each node of the restore as soon as it is made
        self.session: Any = None
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

    def feeds(self) -> dict:
        """What a session that runs the nodes is fed."""
        prefix = None if self.graph_nodes is None else self.graph_nodes.prefix
        return {} if prefix is None else {prefix: self.save_path}

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
        checkpoint, due, savers = self.checkpoint, [], {}  # type: ignore[var-annotated]
        pending = collections.deque([(self, trackable)])
        while pending:
            position, obj = pending.popleft()
            obj._maybe_initialize_trackable()
            if checkpoint.restore_uid > obj._update_uid:
                obj._update_uid = checkpoint.restore_uid
                saver = position._saver_of(obj)
                if saver is not None:
                    savers.setdefault(saver[0], {})[saver[1]] = obj
                elif position._takes_values(obj):
                    due.append((obj, position.node))
            position._queue_children(obj, pending)
            position._queue_slot_variables(obj, pending)
        nodes = None if state.graph is None else checkpoint.graph_nodes
        if due:
            made = assign(open_reader(checkpoint.save_path), due, nodes, checkpoint.device)
            checkpoint.restore_ops += made
            if checkpoint.session is not None:
                checkpoint.session.run(made, checkpoint.feeds())
        if savers and nodes is not None:
            raise NotImplementedError("Restoring with a registered checkpoint saver is not supported in graph mode.")
        run_savers(savers, checkpoint.save_path)
        if checkpoint.is_complete():
            forget_reader(checkpoint.save_path)

    def _saver_of(self, obj) -> tuple[str, str] | None:
        """The registered saver that gives the object its value, and what it calls the object."""
        node = self.node
        if node.registered_saver is not None:
            name, object_name = node.registered_saver
            if registration.get_strict_predicate_restore(name) or registration.get_registered_saver_name(obj) == name:
                registration.validate_restore_function(obj, name)
                return name, object_name
            return None
        current = registration.get_registered_saver_name(obj) if node.attributes else None
        return None if current is None else (current, node.attributes[0][2])  # saved before there was a saver for it

    def _takes_values(self, obj) -> bool:
        node = self.node
        unused = [name for name, _, _ in node.attributes]
        if node.registered_saver is not None:  # there is no such saver, or it does not match this object
            unused.append(f"registered saver {node.registered_saver[0]}")
        elif has_values(obj) and not self._holds_variants():
            return bool(node.attributes)
        elif has_values(obj):
            log.warn(
                "The checkpoint %s holds the state of %s as variants of TensorFlow's "
                "runtime, which cannot be read here. The object stays as it is; everything "
                "else is restored.", self.checkpoint.save_path,
                node_names(self.checkpoint.nodes)[self.node_id],
            )  # fmt: skip
        if unused:
            self.checkpoint.unused_attributes[self.node_id] = unused
        return False

    def _holds_variants(self) -> bool:
        """Whether what is stored are objects of TensorFlow's C++ runtime: the positions of its iterators."""
        keys = tuple(key for name, _, key in self.node.attributes if name != VARIABLE_VALUE)
        if not keys:
            return False
        reader = open_reader(self.checkpoint.save_path)
        return any(reader.dtype_enum(k) == dtypes.variant.as_datatype_enum for k in reader if k.startswith(keys))

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


# ---------------------------------------------------------------- names


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


# ---------------------------------------------------------------- entry


def restore(
    save_path: str | None, view, list_objects, skip_slot_variables: bool = False, graph_nodes: GraphNodes | None = None,
    device: str | None = None,
):
    """Restore everything below `view.root` that the checkpoint knows; returns the status."""
    if save_path is None:
        return InitializationOnlyStatus(list_objects, view.root, new_id())
    reader = open_reader(save_path)
    if OBJECT_GRAPH_KEY not in reader:
        return _restore_by_name(reader, list_objects, view.root)
    nodes = object_graph.parse(_scalar_string(reader))
    if not nodes:
        raise errors.DataLossError(None, None, f"corrupt object graph in checkpoint {save_path}: it has no nodes")
    checkpoint = RestoreCoordinator(save_path, nodes, skip_slot_variables, graph_nodes, device)
    root = view.root
    CheckpointPosition(checkpoint, 0).restore(root)
    by_name = dict(nodes[0].children)
    for name, obj in view.attached_dependencies or ():
        if name != "root" and name in by_name and checkpoint.object_of(by_name[name]) is None:
            CheckpointPosition(checkpoint, by_name[name]).restore(obj)
    return CheckpointLoadStatus(checkpoint, node_names(nodes), list_objects, root, skip_slot_variables)


def _scalar_string(reader: bundle.Reader) -> bytes:
    value = reader.get(OBJECT_GRAPH_KEY)
    if value.dtype != object or value.shape:
        raise errors.DataLossError(
            None, None, f"corrupt object graph in checkpoint {reader.prefix}: it is not a string"
        )
    return value.item()


class NameBasedRestore:
    """One restore of a checkpoint whose keys are the names of variables. Objects that come later take part too."""

    def __init__(self, save_path: str):
        self.save_path, self.restore_uid = save_path, new_id()

    def __deepcopy__(self, memo):
        return self

    def apply(self, objects: list) -> list:
        """Give variables the values under their names; returns those that found none."""
        reader, due, missing = open_reader(self.save_path), [], []
        for obj in objects:
            obj._maybe_initialize_trackable()
            obj._name_based_restores.append(self)
            if has_values(obj) and hasattr(obj, "_shared_name"):
                due.append((obj, obj._shared_name)) if obj._shared_name in reader else missing.append(obj)
        for obj, key in due:
            check_variable(reader, obj, key)
        with init_scope():
            for obj, key in due:
                if obj._update_uid < self.restore_uid:
                    obj._update_uid = self.restore_uid
                    obj._restore_from_tensors({VARIABLE_VALUE: tensor_at(reader, key)})
        return missing


def _restore_by_name(reader: bundle.Reader, list_objects, root) -> NameBasedSaverStatus:
    log.warn(
        "Restoring a name-based tf.train.Saver checkpoint using the object-based restore API. This mode uses "
        "global names to match variables, and so is somewhat fragile."
    )
    in_graph = state.graph is not None and not state.graph.building_function
    missing = [] if in_graph else NameBasedRestore(reader.prefix).apply(list_objects())
    return NameBasedSaverStatus(reader.prefix, missing, list_objects, root)
