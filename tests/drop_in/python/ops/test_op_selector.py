"""Operations of a graph by how they are connected."""

import collections

import pytest

import reflow as tf
from reflow.drop_in.python.ops import op_selector


@pytest.fixture
def graph():
    """c = a + b; e = c * p, after d; h = e + d."""
    with tf.Graph().as_default() as graph:
        a, b, d = (tf.constant([float(i), 1.0], name=name) for i, name in enumerate("abd"))
        placeholder = tf.compat.v1.placeholder(tf.float32, [2], name="p")
        c = tf.add(a, b, name="c")
        with tf.control_dependencies([d]):
            e = tf.multiply(c, placeholder, name="e")
        tf.add(e, d, name="h")
    return graph


def names(operations):
    return "".join(sorted(op.name for op in operations))


def test_walks(graph):
    op = graph.get_operation_by_name
    walk = op_selector.get_backward_walk_ops
    assert names(walk([op("e")])) == names(walk(op("e").outputs[0])) == "abcep"
    assert names(walk([op("e")], inclusive=False)) == "abcp" and names(walk([op("e")], control_inputs=True)) == "abcdep"
    assert names(walk([op("h")], stop_at_ts=op("c").outputs)) == "dehp"
    assert names(walk([op("h")], within_ops=[op("h"), op("e"), op("c")])) == "ceh"
    assert names(walk([op("h")], within_ops_fn=lambda o: o.type != "Const")) == "cehp" and walk([]) == []
    assert op_selector.is_differentiable(op("c")) and names(walk([op("h")], only_differentiable=True)) == "abcdehp"
    assert names(op_selector.graph_inputs(op("e"))) == "cdp"
    assert names(op_selector.get_consuming_ops([*op("a").outputs, *op("d").outputs])) == "ch"
    assert names(op_selector.get_generating_ops([*op("c").outputs])) == "c" and len(op_selector.get_tensors(graph)) == 7


def test_paths(graph):
    op = graph.get_operation_by_name
    assert op_selector.show_path(op("a"), op("h").outputs[0], []) == "h (AddV2) <- e (Mul) <- c (AddV2) <- a (Const)"
    assert op_selector.show_path(op("a"), op("h").outputs[0], op("c").outputs) == "??"
    seen, users = set(), collections.defaultdict(set)
    with pytest.raises(op_selector.UnliftableError, match="depends transitively on placeholder"):
        op_selector.map_subgraph(op("h").outputs[0], [], None, set(), users, False)
    extra = op_selector.map_subgraph(op("h").outputs[0], [], None, seen, users, True)
    assert names(seen) == "abcdehp" and list(extra) == list(op("p").outputs) and op("h") in users[op("d")]


def test_lists_and_their_graph(graph):
    a = graph.get_tensor_by_name("a:0")
    with tf.Graph().as_default():
        other = tf.constant(1)
    assert (
        op_selector.get_unique_graph([a, a.op]) is graph
        and op_selector.get_unique_graph([], none_if_empty=True) is None
    )
    assert op_selector.make_list_of_t(a) == [a] and op_selector.make_list_of_op([a.op, a], ignore_ts=True) == [a.op]
    op_selector.check_graphs(a, a)
    assert (
        op_selector.is_iterable([1]) and not op_selector.is_iterable(a)
        and op_selector.concatenate_unique([1], [2, 1]) == [1, 2]
    )
    for items in ([a, other], []):
        with pytest.raises(ValueError, match="graph"):
            op_selector.get_unique_graph(items)
    with pytest.raises(ValueError, match="same graph"):
        op_selector.check_graphs(a, other)
    for wrong in (
        lambda: op_selector.get_unique_graph(3), lambda: op_selector.get_unique_graph([3]),
        lambda: op_selector.make_list_of_t([a.op]), lambda: op_selector.make_list_of_op(graph, allow_graph=False),
        lambda: op_selector.get_tensors(3),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            wrong()
