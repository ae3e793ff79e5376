"""What is derived from a graph is computed once, and again when the graph has changed."""

import ast
from pathlib import Path

import pytest

import reflow as tf
from reflow.graph.clone import clone
from reflow.graph.derived import derived
from reflow.runtime.schedule import schedule_of
from tests import sources

PACKAGE = Path(__file__).parents[2] / "reflow"
CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "reverse", "sort"}
#: where nodes, inputs and outputs are changed; everybody else calls these
OWNERS = {"graph/graph.py", "graph/node.py", "graph/func_graph.py"}
#: in these a `.nodes`, `.inputs`, `.outputs` or `.attrs` belongs to something else than a graph
OTHERS = ("data/", "train/", "saved_model/save.py", "saved_model/load.py", "keras/", "native/")


def traced():
    return tf.function(lambda x, y: (x + y, x * y)).get_concrete_function(tf.constant(1.0), tf.constant(2.0)).graph


@derived
def counted(graph, *extra) -> list:
    return [len(graph.nodes), *extra]


def test_results_are_kept_by_arguments():
    graph = traced()
    assert counted(graph) is counted(graph)
    assert counted(graph, "a") is counted(graph, "a") is not counted(graph)
    assert counted.known(graph) == [counted(graph), counted(graph, "a")]
    counted.forget(graph)
    assert counted.known(graph) == []
    assert counted(traced()) is not counted(graph)


def add(graph):
    with graph.as_default():
        tf.constant(1.0)


CHANGES = {
    "a new node": add,
    "a node less": lambda graph: graph.drop_nodes(len(graph.nodes) - 1),
    "other attributes": lambda graph: graph.nodes[-1].rewrite(attrs={"seen": True}),
    "other inputs of a node": lambda graph: graph.nodes[-1].rewrite(inputs=graph.nodes[-1].inputs),
    "another order": lambda graph: graph.move_before(graph.nodes[2], len(graph.nodes) - 1),
    "a new input": lambda graph: graph.add_input(tf.float32, (), "z"),
    "a capture": lambda graph: graph.capture(tf.constant(3.0)),
    "other inputs": lambda graph: setattr(graph, "inputs", graph.inputs[::-1]),
    "other outputs": lambda graph: setattr(graph, "outputs", graph.outputs[::-1]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_makes_results_anew(change):
    graph = clone(traced())
    before = counted(graph)
    CHANGES[change](graph)
    assert counted.known(graph) == []
    assert counted(graph) is not before


def test_outputs_that_change_places_are_scheduled_again():
    graph = clone(traced())
    first = schedule_of(graph).outputs
    graph.outputs = graph.outputs[::-1]  # as many nodes, as many outputs
    assert schedule_of(graph).outputs == first[::-1]


def test_only_a_graph_changes_its_parts():
    """A change that `revision` does not count would leave a stale plan behind."""
    wrong = []
    for file in sorted(PACKAGE.rglob("*.py")):
        name = str(file.relative_to(PACKAGE))
        if name not in OWNERS and not name.startswith(OTHERS):
            wrong += [f"{name}:{line}: {text}" for line, text in changes(sources.tree(file))]
    assert not wrong, "\n".join(wrong)


def changes(tree):
    """(line, text) of what changes the nodes, inputs or outputs of a graph in place, or a part of a node."""
    for node in sources.nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            if is_part(node.func.value, {"nodes", "inputs", "outputs", "attrs"}):
                yield node.lineno, ast.unparse(node)
            continue
        for target in targets(node):
            if isinstance(target, ast.Subscript) and is_part(target.value, {"nodes", "inputs", "outputs", "attrs"}):
                yield node.lineno, ast.unparse(node)
            if is_part(target, {"nodes", "attrs", "waits"}):
                yield node.lineno, ast.unparse(node)


def targets(statement) -> list:
    found = getattr(statement, "targets", ())
    return [t for target in found for t in (target.elts if isinstance(target, ast.Tuple) else [target])]


def is_part(node, names) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) != "self"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("graph.nodes.append(n)", True),
        ("del graph.nodes[2:]", True),
        ("body.outputs.append(x)", True),
        ("node.attrs['f'] = g", True),
        ("node.attrs = {}", True),
        ("node.waits = ()", True),
        ("node.record, node.attrs = op, {}", True),
        ("graph.outputs = []", False),
        ("self.nodes.append(n)", False),
        ("x = node.attrs['f']", False),
    ],
)
def test_the_rule_fires(source, found):
    assert bool(list(changes(ast.parse(source)))) is found


def test_nodes_before_a_loop_have_names():
    """The gradient of a loop puts nodes in front of it, also where names have been given already."""

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = tf.sin(y)
        named = [op.name for op in tf.compat.v1.get_default_graph().get_operations()]
        assert "while" in named
        return tape.gradient(y, x)

    graph = f.get_concrete_function(tf.constant(1.0)).graph
    names = [op.name for op in graph.get_operations()]
    assert len(set(names)) == len(names) and None not in names
