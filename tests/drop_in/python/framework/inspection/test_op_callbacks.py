"""Functions that are told of every op. The expected calls are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.inspection import op_callbacks


@pytest.fixture
def told():
    calls = []

    def callback(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        calls.append((op_type, len(inputs), dict(zip(attrs[::2], attrs[1::2])), len(outputs), op_name, graph))

    op_callbacks.add_op_callback(callback)
    yield calls
    op_callbacks.clear_op_callbacks()


def test_eager_ops(told):
    x = tf.constant([[1.0, 2.0]])
    tf.matmul(x, x, transpose_b=True)
    kind, inputs, attrs, outputs, name, graph = told[0]
    assert (kind, inputs, outputs, name, graph) == ("MatMul", 2, 1, None, None)
    assert attrs["transpose_b"] and attrs["T"] == tf.float32.as_datatype_enum


def test_nodes_of_a_function_and_its_call(told):
    @tf.function
    def f(x):
        return tf.unique(tf.square(x))

    f(tf.constant([1, 2]))
    kinds = [call[0] for call in told]
    assert kinds[:2] == ["Square", "Unique"] and kinds[-1].startswith("__inference_f_")
    assert told[0][4:] == ("Square", f.get_concrete_function(tf.constant([1, 2])).graph)
    assert told[-1][1:] == (1, {}, 2, None, None)


def test_a_callback_may_replace_what_nodes_give():
    def ten_times(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        return [outputs[0] * 10.0] if op_type == "Square" else None

    op_callbacks.add_op_callback(ten_times)
    try:
        assert tf.function(lambda x: tf.square(x))(tf.constant(3.0)).numpy() == 90.0
        assert tf.square(3.0).numpy() == 9.0  # eager results stay
    finally:
        op_callbacks.remove_op_callback(ten_times)


def test_too_few_outputs():
    op_callbacks.add_op_callback(lambda *args, **kwargs: [])
    try:
        with pytest.raises(ValueError, match="returned 0 tensors, which does not match"):
            tf.add(1, 2)
    finally:
        op_callbacks.clear_op_callbacks()


def test_what_is_no_callback():
    with pytest.raises(ValueError, match="cannot be None"):
        op_callbacks.add_op_callback(None)
    with pytest.raises(ValueError, match="expected to be callable"):
        op_callbacks.add_op_callback("f")
    with pytest.raises(KeyError, match="has not been registered"):
        op_callbacks.remove_op_callback(print)
    assert not op_callbacks.should_invoke_op_callbacks()


def test_outside_of_callbacks_nothing_is_told():
    assert op_callbacks.invoke_op_callbacks("Add", (), (), ("a",)) == ("a",)
