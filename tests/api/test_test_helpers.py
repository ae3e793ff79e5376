"""Helpers of tests."""

import pytest

import reflow as tf


def graph(build):
    with tf.Graph().as_default() as g:
        build()
    return g.as_graph_def()


def test_graphs_are_equal_whatever_the_order_of_their_nodes():
    def build():
        x = tf.constant(1.0, name="x")
        with tf.control_dependencies([x, tf.constant(2.0, name="y")]):
            tf.constant(3.0, name="z")

    given, turned = graph(build), graph(build)
    nodes = list(turned.node)[::-1]
    for node in nodes:
        inputs = list(node.input)[::-1]
        del node.input[:]
        node.input.extend(inputs)
    del turned.node[:]
    turned.node.extend(nodes)
    tf.test.assert_equal_graph_def(given, turned)
    tf.compat.v1.test.assert_equal_graph_def(given, turned, checkpoint_v2=True)
    turned.node[0].op = "NoOp"
    with pytest.raises(AssertionError, match="node .* differs"):
        tf.test.assert_equal_graph_def(given, turned)
    with pytest.raises(AssertionError, match="only in expected: .'x', 'y', 'z'"):
        tf.test.assert_equal_graph_def(given, graph(lambda: None))
    with pytest.raises(TypeError, match="Expected tf.GraphDef for actual, got str"):
        tf.test.assert_equal_graph_def(given, "x")


def test_shared_names_of_tables_do_not_count():
    def build():
        tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)

    one, other = graph(build), graph(build)
    tf.test.assert_equal_graph_def(one, other)
    with pytest.raises(AssertionError, match="differs"):
        tf.compat.v1.test.assert_equal_graph_def(one, other)


def test_classes_and_methods_are_decorated():
    @tf.test.with_eager_op_as_function(only_as_function=True)
    class Some(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: False, "never")
        def test(self):
            assert tf.test.is_cpu_target_available("x86_64") != tf.test.is_cpu_target_available("aarch64")

    assert Some("test").run().wasSuccessful()
