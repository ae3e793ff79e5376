"""`tf.compat.v1.wrap_function`: frozen graphs as functions, parts of graphs, gradients, variables."""

import pytest

import reflow as tf
from reflow.compat.wrapped import VariableHolder, WrappedGraph

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
    wrapped = tf.compat.v1.wrap_function(
        lambda thing, x: (seen.append(thing), x + 1.0)[1], [seen.append, tf.TensorSpec([])]
    )
    assert wrapped(tf.constant(1.0)).numpy() == 2.0 and callable(seen[0])


def test_what_nothing_waits_for_does_not_run():
    v = tf.Variable(0)

    def f(x):
        v.assign_add(1)
        return x

    assert v1.wrap_function(f, [tf.TensorSpec([], tf.int32)])(4).numpy() == 4 and v.numpy() == 0

    def g(x):
        with tf.control_dependencies([v.assign_add(x)]):
            return v.read_value()

    wrapped = v1.wrap_function(g, [tf.TensorSpec([], tf.int32)])
    assert (wrapped(2).numpy(), wrapped(3).numpy()) == (2, 5)
    assert v1.wrap_function(lambda: v.assign_add(1), [])().numpy() == 6


def test_a_function_that_returns_nothing_runs_nothing():
    v = tf.Variable(0)
    assert v1.wrap_function(lambda: [v.assign_add(1), None][1], [])() is None and v.numpy() == 0
    doubled, nothing = v1.wrap_function(lambda x: (x * 2, [v.assign_add(1), None][1]), [tf.TensorSpec([], tf.int32)])(3)
    assert doubled.numpy() == 6 and nothing is None and v.numpy() == 0


def test_a_holder_keeps_variables_by_unique_names():
    def f():
        return tf.Variable(0, name="v"), tf.Variable(1, name="v")

    for _ in range(2):
        wrapped = v1.wrap_function(f, [])
        assert {v.name: int(v) for v in wrapped._variable_holder.variables.values()} == {"v:0": 0, "v_1:0": 1}
        assert [v.name for v in wrapped.graph.get_collection("trainable_variables")] == ["v:0", "v_1:0"]


def test_functions_of_one_graph_share_variables():
    graph, number = WrappedGraph(), [tf.TensorSpec([], tf.int32)]

    def named(start):
        with v1.variable_scope("shared", reuse=v1.AUTO_REUSE):
            return v1.get_variable("v", initializer=v1.constant_initializer(start), shape=[], dtype=tf.int32)

    add = graph.wrap_function(lambda x: named(3) + x, number, name="add")
    step = graph.wrap_function(lambda x: named(5).assign_add(x), number, name="step")
    assert add(7).numpy() == 10 and step(7).numpy() == 10 and add(7).numpy() == 17
    assert set(graph.variables) == {"shared/v"} and set(graph.functions) == {"add", "step"}


def test_graphs_share_variables_through_a_holder():
    holder = VariableHolder(share_variables=True)

    def scoped(x):
        with tf.name_scope("other"):
            return tf.Variable(5, name="v") * x

    number = [tf.TensorSpec([], tf.int32)]
    add = WrappedGraph(variable_holder=holder).wrap_function(lambda x: tf.Variable(3, name="v") + x, number, name="add")
    subtract = WrappedGraph(variable_holder=holder).wrap_function(
        lambda x: tf.Variable(4, name="v") - x, number, name="subtract"
    )
    multiply = WrappedGraph(variable_holder=holder).wrap_function(scoped, number)
    assert (add(7).numpy(), subtract(7).numpy(), multiply(7).numpy()) == (10, -4, 35)
    assert set(holder.variables) == {"v", "other/v"}


def test_variables_go_to_the_collections_that_they_name():
    def f(x):
        v = v1.Variable(3, name="v", trainable=False, collections=["a"])
        w = v1.get_variable(
            "v", initializer=v1.constant_initializer(4), shape=[], dtype=tf.int32, collections=["a", "b"]
        )
        return v + w + x

    wrapped = WrappedGraph()
    assert wrapped.wrap_function(f, [tf.TensorSpec([], tf.int32)])(1).numpy() == 8
    assert [len(wrapped.graph.get_collection(key)) for key in ("a", "b", "trainable_variables")] == [2, 1, 1]
