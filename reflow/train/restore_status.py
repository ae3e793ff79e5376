"""The result of `tf.train.Checkpoint.restore`: assertions about what was restored, and in a graph the restore ops.

In eager code values are restored at once, and again when objects are attached. In a TensorFlow 1 graph
`run_restore_ops` runs the nodes created so far in a session; `initialize_or_restore` also runs the initializers of
variables that the checkpoint lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflow.api.export import export
from reflow.core.context import state
from reflow.graph import symbolic
from reflow.tracking.data_structures import TrackableDataStructure
from reflow.tracking.trackable import ObjectIdentitySet, has_values
from reflow.train.object_graph import VARIABLE_VALUE, ObjectNode


def in_session_mode() -> bool:
    """Whether the line runs in a graph of TensorFlow 1, whose values are in sessions."""
    return state.graph is not None and not state.graph.building_function


def session_or_default(session: Any) -> Any:
    session = session or symbolic.default_session()
    if session is None:
        raise RuntimeError(
            "Values in a graph are restored in a session. Please use `with tf.Session():` to create a session."
        )
    return session


def initializers(objects: list, restore_uid: int) -> list:
    """The initializers of those that no later restore gives a value."""
    found = [
        o for o in objects if hasattr(o, "initializer") and getattr(o, "_update_uid", restore_uid - 1) < restore_uid
    ]
    return [o.initializer for o in found]


class CheckpointLoadStatus:
    """What `tf.train.Checkpoint.restore` returns: assertions about what was restored so far."""

    def __init__(
        self, checkpoint: Any, names: Mapping[int, str], list_objects, root, skip_slot_variables: bool = False
    ):
        self._checkpoint = checkpoint
        self._names = names  # of the checkpoint's nodes
        self._list_objects = list_objects
        self._root = root
        self._skip_slot_variables = skip_slot_variables

    def assert_consumed(self):
        """Raise unless every value in the checkpoint was taken and every object that holds values got one."""
        self.assert_existing_objects_matched()
        checkpoint = self._checkpoint
        names = self._names
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
        """In a graph, restore the objects that were matched so far. In eager code this was done at once."""
        if in_session_mode():
            session_or_default(session).run(self._checkpoint.restore_ops, self._checkpoint.feeds())

    def initialize_or_restore(self, session=None):
        """In a graph, restore what was matched, and initialize what was not."""
        if in_session_mode():
            session = session_or_default(session)
            matched = ObjectIdentitySet(self._checkpoint.matched_objects())
            others = [o for o in self._list_objects() if o not in matched]
            self.run_restore_ops(session)
            session.run(initializers(others, self._checkpoint.restore_uid))

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

    def __init__(self, list_objects, root, restore_uid: int):
        self._list_objects, self._root, self._restore_uid = list_objects, root, restore_uid

    def _fail(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _fail

    def run_restore_ops(self, session=None):
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session=None):
        """In a graph, run the initializers. In eager code variables are initialized when they are made."""
        if in_session_mode():
            session_or_default(session).run(initializers(self._list_objects(), self._restore_uid))

    def expect_partial(self):
        return self


class NameBasedSaverStatus:
    """What restoring a checkpoint of TensorFlow 1 returns: variables were matched by their names."""

    def __init__(self, save_path: str, missing: list, list_objects, root):
        self._save_path, self._missing, self._root = save_path, missing, root
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
        """In a graph, restore the variables by a `Saver`. In eager code this was done at once."""
        if in_session_mode():
            from reflow.compat.train.saver import Saver

            optional = ObjectIdentitySet(self._optional)
            wanted = [
                o for o in self._list_objects() if has_values(o) and hasattr(o, "_shared_name") and o not in optional
            ]
            Saver(wanted).restore(session_or_default(session), self._save_path)

    initialize_or_restore = run_restore_ops

    def expect_partial(self):
        return self


@export("__internal__.tracking.streaming_restore")
def streaming_restore(status, session=None):
    """Run the nodes of a restore in a session as soon as they are made. In eager code values are restored at once.

    Args:
      status: What `tf.train.Checkpoint.restore` returned.
      session: The session; by default the default one.

    Raises:
      NotImplementedError: The checkpoint is one of TensorFlow 1.
    """
    if not in_session_mode():
        return
    session = session_or_default(session)
    if isinstance(status, NameBasedSaverStatus):
        raise NotImplementedError(
            "Streaming restore not supported from name-based checkpoints when graph building. File a feature request "
            "if this limitation bothers you. As a workaround, consider either using tf.train.Checkpoint to load "
            "name-based checkpoints or enabling eager execution."
        )
    status.run_restore_ops(session)
    status._checkpoint.session = session
