"""The graph of a SavedModel: TensorFlow's ops, and edges that keep its order."""

import collections

from reflow.ops import opdef
from tests.saved_model.models import all_nodes, read


def test_only_ops_that_tensorflow_knows(trainer):
    known = set(opdef.names())
    for node in all_nodes(read(trainer[1])):
        assert node.op in known and not node.op.startswith("Reflow>")
        attrs = opdef.lookup(node.op).attrs
        assert all(name in attrs or name in ("_output_shapes", "_gradient_op_type") for name in node.attr)
        for name, attr in attrs.items():
            assert name in node.attr or attr.default is not opdef.MISSING, f"{node.name} lacks {name}"


def test_training_functions_have_control_edges(trainer):
    functions = {f.signature.name: f for f in read(trainer[1]).graph_def.library.function}
    adam = next(f for n, f in functions.items() if "train_adam" in n)
    writes = [n for n in adam.node_def if n.op.startswith("Assign")]
    assert len(writes) == 1 + 3 * 4
    assert set(adam.control_ret) == {n.name for n in writes}
    for function in functions.values():
        check_order(function)


def check_order(function):
    """Each read waits for the last write before it, each write for that and for all reads in between."""
    last_write, reads = {}, collections.defaultdict(set)
    names = {n.name for n in function.node_def}
    for node in function.node_def:
        waits = {i[1:] for i in node.input if i.startswith("^")}
        assert waits <= names
        is_write = node.op.startswith("Assign")
        if not is_write and node.op != "ReadVariableOp":
            continue
        handle = node.input[0]
        assert handle not in last_write or last_write[handle] in waits
        if is_write:
            assert reads.pop(handle, set()) <= waits
            last_write[handle] = node.name
        else:
            reads[handle].add(node.name)
