"""`tf.compat.v1.wrap_function`: frozen graphs as functions, parts of graphs, gradients, variables."""

import pytest

import reflow as tf

v1 = tf.compat.v1


@pytest.fixture(scope="module")
def frozen():
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="input")
        w = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="w")
        tf.reduce_sum(tf.nn.relu(tf.matmul(x, w), name="hidden"), axis=1, name="output")
    return graph.as_graph_def()


def _cut_out(graph_def, inputs, outputs):
    wrapped = v1.wrap_function(lambda: v1.import_graph_def(graph_def, name=""), [])
    element = wrapped.graph.as_graph_element
    return wrapped.prune(tf.nest.map_structure(element, inputs), tf.nest.map_structure(element, outputs))


def test_a_frozen_graph(frozen):
    f = _cut_out(frozen, "input:0", "output:0")
    assert f(tf.constant([[1.0, 1.0], [-5.0, 1.0]])).numpy().tolist() == [10.0, 0.0]
    assert [t.name for t in f.inputs] == ["input:0"]


def test_structures_and_inner_tensors(frozen):
    f = _cut_out(frozen, ["hidden:0"], {"o": "output:0", "h": "hidden:0"})
    assert {k: v.numpy().tolist() for k, v in f([[1.0, 1.0]]).items()} == {"o": [2.0], "h": [[1.0, 1.0]]}


def test_arguments_are_flat():
    f = v1.wrap_function(lambda a, b: a * b + 1, [tf.TensorSpec([], tf.float32)] * 2)
    assert [t.name for t in f.inputs] == ["Placeholder:0", "Placeholder_1:0"]
    assert float(f(2.0, 3.0)) == float(f(2.0, Placeholder_1=3.0)) == 7.0
    for wrong in (lambda: f(2.0), lambda: f(1.0, 2.0, 3.0), lambda: f(1.0, nobody=2.0)):
        with pytest.raises(ValueError, match="Expected the arguments"):
            wrong()


def test_gradients_and_variables():
    v = tf.Variable(3.0)
    f = v1.wrap_function(lambda a: tf.multiply(a, v, name="m"), [tf.TensorSpec([], tf.float32, name="q")])
    part = f.prune("q:0", "m:0")
    for call in (f, part):
        with tf.GradientTape() as tape:
            y = call(tf.constant(2.0))
        assert (float(y), float(tape.gradient(y, v)), len(call.variables)) == (6.0, 2.0, 1)


def test_get_variable_keeps_its_variable():
    def build(x):
        return x * v1.get_variable("wrapped_w", [2], initializer=v1.ones_initializer())

    f = v1.wrap_function(build, [tf.TensorSpec([2], tf.float32)])
    assert f([1.0, 2.0]).numpy().tolist() == [1.0, 2.0]
    f.variables[0].assign([5.0, 6.0])
    assert f([1.0, 2.0]).numpy().tolist() == [5.0, 12.0]


def test_other_objects_in_a_signature_are_passed_on():
    seen = []
    wrapped = tf.compat.v1.wrap_function(lambda thing, x: (seen.append(thing), x + 1.0)[1], [seen.append, tf.TensorSpec([])])
    assert wrapped(tf.constant(1.0)).numpy() == 2.0 and callable(seen[0])
