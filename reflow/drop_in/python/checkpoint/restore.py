"""`tensorflow.python.checkpoint.restore`: giving single objects the values of nodes of a checkpoint."""

from reflow.tracking.trackable import Trackable, gathers_saveables, has_values
from reflow.train import object_graph
from reflow.train.restore import CheckpointPosition, RestoreCoordinator, open_reader  # noqa: F401 - their names here
from reflow.train.restored_values import assign, assignments
from reflow.train.restored_values import extract_saveable_name as _extract_saveable_name  # noqa: F401


def restore_nodes(save_path, nodes_to_restore):
    """Give objects the values of nodes: {node id: object}. Children are left alone."""
    if not isinstance(nodes_to_restore, dict):
        raise ValueError("Expecting a dictionary of node_id to Trackable for nodes_to_restore.")
    reader = open_reader(save_path)
    nodes = object_graph.parse(reader.get(object_graph.OBJECT_GRAPH_KEY).item())
    due = []
    for node_id, obj in nodes_to_restore.items():
        if node_id >= len(nodes):
            raise ValueError(
                f"The expected node_id: {node_id} to Trackable {obj} to restore does not exist in the checkpoint."
            )
        if not isinstance(obj, Trackable):
            raise ValueError(f"Expecting a valid Trackable to node_id: {node_id} but got trackable: {obj}.")
        _check(obj, node_id, nodes[node_id], reader)
        if nodes[node_id].attributes:
            due.append((obj, nodes[node_id]))
    assign(reader, due)


def _check(obj, node_id, node, reader):
    """Raise ValueError unless the node has exactly the values that the object takes."""
    if not has_values(obj):
        if node.attributes:
            raise ValueError(
                f"Trackable {obj} does not expect checkpointed values but checkpoint contains "
                f"them for node_id: {node_id}."
            )
        return
    if not node.attributes:
        raise ValueError(
            f"Trackable {obj} expects checkpointed values but checkpoint does not contain serialized "
            f"tensors for node_id: {node_id}."
        )
    if gathers_saveables(obj):
        own, stored, what = obj._gather_saveables_for_checkpoint(), node.attributes, "saveable_objects for Trackable"
        between = "the size"
    else:
        own, what, between = obj._serialize_to_tensors(), "serialized_tensors for Trackable", "size"
        stored = [key for each in assignments(obj, node, reader) for key in each.keys]
    if len(own) != len(stored):
        raise ValueError(
            f"Size for {what}: {len(own)} did not match {between} for serialized_tensors for checkpoint: {len(stored)}."
        )
