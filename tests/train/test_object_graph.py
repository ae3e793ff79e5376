"""The object graph of a checkpoint: TensorFlow's, keys, escaping, cycles, damage."""

import pathlib

import numpy as np
import pytest

from reflow.core import errors
from reflow.train import bundle, object_graph
from reflow.train.object_graph import ObjectNode

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "bundle"


def golden_graph() -> bytes:
    return bundle.Reader(GOLDEN / "objects" / "ckpt-3").get(object_graph.OBJECT_GRAPH_KEY).item()


def test_tensorflows_object_graph():
    nodes = object_graph.parse(golden_graph())
    assert nodes[0] == ObjectNode([("model", 1), ("optimizer", 2), ("save_counter", 3)])
    assert nodes[2].slot_variables == [(4, "m", 12), (4, "v", 13)]
    assert object_graph.build(nodes) == golden_graph()


def test_keys_of_all_paths_are_those_in_tensorflows_checkpoint():
    """Walks the graph and computes each variable's key from the names on the way."""
    nodes = object_graph.parse(golden_graph())
    paths, pending = {0: ""}, [0]
    while pending:
        node = pending.pop(0)
        for name, child in nodes[node].children:
            if child not in paths:
                step = object_graph.object_path([name])
                paths[child] = f"{paths[node]}/{step}" if node else step
                pending.append(child)
    for node, path in list(paths.items()):
        for original, slot_name, slot in nodes[node].slot_variables:
            paths[slot] = object_graph.slot_variable_path(paths[original], path, slot_name)
    keys = {object_graph.checkpoint_key(paths[i]): a[2] for i, n in enumerate(nodes) for a in n.attributes}
    assert all(ours == theirs for ours, theirs in keys.items())
    reader = bundle.Reader(GOLDEN / "objects" / "ckpt-3")
    assert set(keys) == set(reader) - {object_graph.OBJECT_GRAPH_KEY}
    assert np.array_equal(
        reader.get("model/w/.ATTRIBUTES/VARIABLE_VALUE"), np.load(GOLDEN / "objects" / "expected.npz")["w"]
    )
    assert reader.get("model/items/1/a.Sb..c/.ATTRIBUTES/VARIABLE_VALUE") == 4


@pytest.mark.parametrize("name", ["", "a", "a/b.c", "..", "./S", ".S", "S.", "//", "é.", "a.Sb"])
def test_escaping(name):
    escaped = object_graph.escape_local_name(name)
    assert "/" not in escaped
    assert object_graph.unescape_local_name(escaped) == name


def test_cycles_and_registered_savers():
    nodes = [
        ObjectNode([("a", 1), ("self", 0)]),
        ObjectNode([("root", 0), ("table", 2)]),
        ObjectNode(registered_saver=("Saver", "name")),
        ObjectNode([("self", 3)]),
    ]
    assert object_graph._nodes_with_values(nodes) == {0, 1, 2}
    assert object_graph.parse(object_graph.build(nodes)) == nodes
    assert object_graph.parse(b"") == []


def test_damaged_object_graph():
    data = golden_graph()
    for length in range(0, len(data), 7):
        try:
            object_graph.parse(data[:length])
        except errors.DataLossError as e:
            assert "corrupt object graph" in str(e)
    for child in (5, -1):
        graph = object_graph.trackable_object_graph_pb2.TrackableObjectGraph()
        graph.nodes.add().children.add(node_id=child, local_name="x")
        with pytest.raises(errors.DataLossError, match=f"refers to node {child} of 1"):
            object_graph.parse(graph.SerializeToString())
