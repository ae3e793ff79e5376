"""Python functions in files: a name, by which the same process finds them."""

import pytest

import reflow as tf
from reflow.graph import python_tokens

v1 = tf.compat.v1


def test_a_graph_that_calls_python_is_written_and_read_again():
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        calls = [v1.py_func(lambda a: a * 2, [x], tf.float32), tf.py_function(lambda a: a * 3, [x], tf.float32)]
        proto = graph.as_graph_def()
    tokens = [node.attr["token"].s.decode() for node in proto.node if "Py" in node.op]
    assert all(token.startswith("pyfunc_") for token in tokens) and len(set(tokens)) == 2
    assert graph.as_graph_def() == proto
    names = ["x:0", *(t.name for t in calls)]
    with tf.Graph().as_default(), v1.Session() as session:
        fed, *found = tf.graph_util.import_graph_def(
            proto, return_elements=names, name="", experimental_allow_unsafe_ops=["PyFunc", "EagerPyFunc"]
        )
        assert [v.tolist() for v in session.run(found, {fed: [1.0, 2.0]})] == [[2.0, 4.0], [3.0, 6.0]]


def test_names_are_kept_as_long_as_functions():
    def function():
        pass

    name = python_tokens.name_of(function)
    assert python_tokens.name_of(function) == name and python_tokens.function_of(name.encode()) is function
    assert python_tokens.function_of(function) is function
    del function
    assert python_tokens.function_of(name) is None


def test_an_unknown_name_raises_when_it_is_called():
    with tf.Graph().as_default(), v1.Session() as session:
        made = tf.raw_ops.PyFunc(input=[], token="pyfunc_of_nobody", Tout=[tf.float32])
        with pytest.raises(tf.errors.InvalidArgumentError, match="callback pyfunc_of_nobody is not found"):
            session.run(made)
