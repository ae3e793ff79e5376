"""A tensor behind other ops, and the nodes of version 1's control flow."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.control_flow import control_flow_ops
from reflow.drop_in.python.ops.control_flow.control_flow_ops import with_dependencies

v1 = tf.compat.v1


def test_with_dependencies():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        return with_dependencies([v.assign_add(1.0)], x)

    assert f(tf.constant(5.0)).numpy() == 5.0 and v.numpy() == 2.0


def test_eager_code_has_no_dead_values():
    chosen = control_flow_ops.switch([1, 2], False)
    assert [x.numpy().tolist() for x in chosen] == [[1, 2], []]
    inside = control_flow_ops._Enter(tf.sparse.from_dense([0, 3]), "frame")
    assert control_flow_ops.exit(inside).values.numpy().tolist() == [3]
    value, index = control_flow_ops.merge([tf.constant([1]), tf.constant([2])])
    assert value.numpy().tolist() == [1] and index.numpy() == 0


def test_branches_of_version_1():
    with tf.Graph().as_default(), v1.Session() as session:
        pred, v = v1.placeholder_with_default(True, []), v1.get_variable("v", initializer=2, use_resource=True)
        x = tf.constant([1, 2, 3]) * v
        if_false, if_true = control_flow_ops.switch(x, pred)
        merged, _ = control_flow_ops.merge([if_false + 1, if_true * 5])
        session.run(v.initializer)
        results = [session.run(merged, feed).tolist() for feed in ({}, {pred: False}, {pred: False, x: [7, 8, 9]})]
        assert results == [[10, 20, 30], [3, 5, 7], [8, 9, 10]]
        with pytest.raises(tf.errors.UnimplementedError):
            session.run(if_true)  # it is in no branch


def test_a_loop_of_version_1():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        inside = [
            control_flow_ops._Enter(tf.constant(x), "loop", is_constant=bool(x), use_input_shape=False)
            for x in (0, 1, 10)
        ]
        i, _ = control_flow_ops.merge([inside[0], inside[0]])
        again = tf.raw_ops.LoopCond(input=i < inside[2])
        last, current = control_flow_ops.switch(i, again)
        i.op._update_input(1, control_flow_ops._NextIteration(current + inside[1]))
        assert session.run(control_flow_ops.exit(last)) == 10
        copied = v1.import_graph_def(graph.as_graph_def(), return_elements=["Exit:0"], name="copy")
        assert session.run(copied) == [10]


def test_shapes_and_refusals():
    with tf.Graph().as_default():
        p = v1.placeholder(tf.float32, [1, 2])
        assert tf.raw_ops.Enter(data=p, frame_name="f").shape.rank is None
        assert tf.raw_ops.Enter(data=p, frame_name="f", is_constant=True).shape == [1, 2]
        sizes = [[1, 2, 3], [2, 1], [None, 2], [2, 2], [1, 2]]
        merged = [control_flow_ops.merge([p, v1.placeholder(tf.float32, s)])[0].shape for s in sizes]
        assert [str(s) for s in merged] == ["<unknown>", "(None, None)", "(None, 2)", "(None, 2)", "(1, 2)"]
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1 for '{{node Switch"):
            tf.raw_ops.Switch(data=p, pred=[True])
        with pytest.raises(ValueError, match="At least one of the merge inputs is None"):
            control_flow_ops.merge([None, p])
        with pytest.raises(TypeError, match="not supported"):
            control_flow_ops.merge([tf.sparse.from_dense([1]), p])
    with pytest.raises(NotImplementedError, match="Reflow's functions have no Switch nodes"):
        tf.function(lambda x: control_flow_ops.switch(x, x > 1)[0])(tf.constant(1))
