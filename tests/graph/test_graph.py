"""Graphs as Reflow makes them: printing, where nodes come from, names on demand."""

import pytest

import reflow as tf
from reflow.function import compiler_ir


def test_a_graph_prints_one_line_per_node():
    v = tf.Variable([1.0, 2.0])
    graph = tf.function(lambda x: tf.reduce_sum(x * v)).get_concrete_function(tf.TensorSpec([None, 2])).graph
    assert str(graph).splitlines() == [
        "x = Placeholder() -> float32[?,2]",
        "mul/ReadVariableOp/resource = Placeholder() -> resource[]",
        "mul/ReadVariableOp = ReadVariableOp(mul/ReadVariableOp/resource:0) -> float32[2]",
        "mul = Mul(x:0, mul/ReadVariableOp:0) -> float32[?,2]",
        "Const = Const() -> int32[2]",
        "Sum = Sum(mul:0, Const:0) -> float32[]",
        "Identity = Identity(Sum:0) -> float32[]",
    ]
    assert repr(graph).startswith("FuncGraph(name=<lambda>, id=")


def test_names_are_made_when_somebody_asks():
    graph = tf.function(lambda x: tf.tanh(x) + 1.0).get_concrete_function(tf.TensorSpec([])).graph
    assert all(n._name is None for n in graph.nodes)
    assert graph.outputs[0].name == "Identity:0"
    assert all(n._name is not None for n in graph.nodes)


def test_names_asked_for_while_tracing_stay():
    seen = []

    @tf.function
    def f(x):
        y = x + 1.0
        seen.append(y.name)
        z = x + 2.0
        seen.append(z.name)
        return y * z

    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    assert seen == ["add:0", "add_1:0"] == [n.outputs[0].name for n in graph.nodes if n.type == "AddV2"]
    assert len({n.name.lower() for n in graph.nodes}) == len(graph.nodes)


def test_a_node_knows_the_line_that_made_it():
    with tf.Graph().as_default():
        a = tf.constant(1.0)
        b = a * 2.0
    (frame,) = b.op.traceback
    assert frame.filename == __file__ and frame.line == "b = a * 2.0"
    assert b.op.origin() == f'  File "{__file__}", line {frame.lineno}, in {frame.name}\n    b = a * 2.0\n'


def test_a_plain_graph_refuses_tensors_of_others():
    with tf.Graph().as_default():
        a = tf.constant(1.0, name="a")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(a, 1.0)
    with pytest.raises(TypeError, match="cannot be used here"):
        tf.add(a, 1.0)


@pytest.mark.parametrize("stage", compiler_ir.STAGES)
def test_compiler_ir(stage):
    v = tf.Variable(2.0)

    @tf.function(jit_compile=True)
    def f(x):
        v.assign_add(x)
        return tf.sin(x) + v

    text = f.experimental_get_compiler_ir(tf.constant(1.0))(stage=stage)
    assert (b"sine" if isinstance(text, bytes) else "sine") in text
    assert float(v) == 2.0, "nothing has run"
    with pytest.raises(ValueError, match="Invalid stage selected: 'x'"):
        f.experimental_get_compiler_ir(tf.constant(1.0))(stage="x")


def test_errors_of_dtypes_while_tracing():
    with pytest.raises(
        TypeError, match="Input 'x' of 'LogicalNot' Op has type float32 that does not match expected type of bool"
    ):
        tf.function(lambda x: tf.logical_not(x))(tf.constant(1.0))
    words = (
        "Expected bool passed to parameter 'x' of op 'LogicalNot', got 1.0 of type 'float' instead. "
        "Error: Expected bool, but got"
    )
    with pytest.raises(TypeError, match=words):
        tf.function(lambda x: tf.logical_not(x))(1.0)


def test_each_graph_has_device_scopes_of_its_own():
    outer, other = tf.Graph(), tf.Graph()
    with tf.device("/CPU:0"), outer.as_default(), tf.device("/job:w"), other.device("/job:ps"):
        assert tf.constant(1.0).op.device == "/job:w"
        assert other.create_op("NoOp", []).device == "/job:ps"
        with other.as_default():
            assert tf.constant(1.0).op.device == "/job:ps"
        with tf.Graph().as_default():
            assert tf.constant(1.0).op.device == ""
    scope = tf.device("/CPU:0")
    scope.__enter__()
    with tf.device(None), pytest.raises(RuntimeError, match="proper scope nesting"):
        scope.__exit__(None, None, None)
    scope.__exit__(None, None, None)
    assert tf.Graph().create_op("NoOp", []).device == ""


def test_an_op_called_after_its_scope():
    with tf.Graph().as_default() as graph:
        with tf.name_scope("layer") as scope:
            assert tf.ones([2], name=scope).name == "layer:0" and graph.unique_name("x") == "layer/x"
        with graph.control_dependencies([graph.nodes[0]]), tf.init_scope():
            assert tf.no_op().control_inputs == []
        with pytest.raises(TypeError, match="can't convert Operation 'layer' to Tensor"):
            tf.add(graph.nodes[0], 1)


def test_names_of_joined_strings():
    with tf.Graph().as_default():
        a, b = tf.constant("a"), tf.constant("b")
        assert [x.name for x in (a + b, tf.raw_ops.Add(x=a, y=b), tf.add(a, b))] == ["add:0", "Add_1:0", "Add_2:0"]


def test_the_list_of_an_ops_results_is_the_callers_own():
    with tf.Graph().as_default():
        parts = tf.split(tf.constant([1, 2]), 2)
        node = parts[0].op
        parts[0] = None
        assert [t.name for t in node.outputs] == ["split:0", "split:1"]


def test_init_scope_leaves_graphs_that_build_a_function():
    outer, inner = tf.Graph(), tf.Graph()
    inner._building_function = True
    with outer.as_default(), tf.device("CPU:0"):
        with inner.as_default():
            with tf.device("GPU:0"), tf.init_scope():
                assert tf.constant(1.0).op.device == "/device:GPU:0"
            assert tf.constant(1.0).op.device == ""
            with tf.init_scope():
                assert tf.constant(1.0).op.device == "/device:CPU:0" and tf.compat.v1.get_default_graph() is outer
        assert (outer.version, inner.version) == (2, 1)
    with inner.as_default(), tf.init_scope():
        assert tf.executing_eagerly()


def test_each_plain_graph_has_traces_of_its_own():
    traced = []

    @tf.function
    def f(x):
        traced.append(tf.compat.v1.executing_eagerly_outside_functions())
        return x + 1

    for _ in range(2):
        assert f(1).numpy() == 2
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            assert session.run([f(1), f(1)]) == [2, 2]
    assert traced == [True, False, False]


def test_nodes_that_others_wait_for_are_marked():
    with tf.Graph().as_default() as graph:
        a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
        with tf.control_dependencies([a]):
            c = tf.identity(b, name="c")
        with tf.control_dependencies([b]):
            tf.identity(b, name="d")  # it waits for b anyway
    marked = [n.name for n in graph.as_graph_def().node if n.attr["_has_manual_control_dependencies"].b]
    assert marked == ["a", "b"] and a.op.get_attr("_has_manual_control_dependencies") is True
    with pytest.raises(ValueError, match="has no attr named"):
        c.op.get_attr("_has_manual_control_dependencies")


def test_an_effect_may_be_independent():
    v = tf.Variable(0)

    @tf.function
    def f():
        for i in tf.range(3):
            tf.compat.v1.get_default_graph().experimental_acd_manager.run_independently(v.assign(i).op)

    f()
    assert v.numpy() == 2


def test_an_object_is_told_the_device_of_new_nodes():
    """Keras 2 asks with an object of its own, which is no node."""

    class Asked:
        device = None

        def _set_device_from_string(self, device):
            self.device = device

    def told(graph):
        asked = Asked()
        graph._apply_device_functions(asked)
        return asked.device

    with tf.Graph().as_default() as graph:
        assert told(graph) is None and tf.DeviceSpec.from_string(None).to_string() == ""
        with tf.device("/cpu:0"), tf.device("/job:w"):
            assert told(graph) == "/job:w/device:CPU:0"
    seen = []

    @tf.function
    def f():
        with tf.device("/cpu:0"):
            seen.append(told(tf.compat.v1.get_default_graph()))

    f()
    assert seen == ["/device:CPU:0"]
