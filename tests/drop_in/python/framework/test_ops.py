"""Scopes of names, with and without a graph."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import ops


def test_name_scopes():
    with ops.name_scope("a"):
        assert tf.Variable(1.0, name="v").name == "v:0"
    with ops.name_scope("a", skip_on_eager=False):
        assert tf.Variable(1.0, name="v").name == "a/v:0"
    with tf.Graph().as_default(), ops.name_scope(None, "default"):
        assert ops.has_default_graph() and tf.constant(1.0, name="c").name == "default/c:0"


def test_names_with_scopes():
    assert ops.strip_name_scope("^a/b/c", "a") == "^b/c" and ops.strip_name_scope("loc:@a/b", "a") == "loc:@b"
    assert ops.prepend_name_scope("^b", "a") == "^a/b" and ops.prepend_name_scope("loc:@b", "a/") == "loc:@a/b"
    assert ops.strip_name_scope("b/c", "a") == "b/c" and ops.prepend_name_scope("b", None) == "b"


def test_composites_stay():
    ragged = tf.ragged.constant([[1], []])
    assert ops.convert_to_tensor_or_composite(ragged) is ragged
    assert ops.convert_to_tensor_or_composite([1, 2]).shape == (2,)


def test_old_arguments_of_conversions():
    assert ops.convert_to_tensor([1, 2], preferred_dtype=tf.int64).dtype is tf.int64
    assert ops.convert_to_tensor([1.5], None, "name").dtype is tf.float32


def test_a_scope_in_the_graph_of_some_values():
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
    with tf.Graph().as_default():
        with ops.name_scope("a", values=[x.op]) as scope:
            assert scope == "a/" and tf.add(x, x, name=scope).name == "a:0" and x.graph is graph
        with (
            pytest.raises(ValueError, match="must be from the same graph"),
            ops.name_scope("a", values=[x, tf.constant(1.0)]),
        ):
            pass
    assert ops.name_from_scope_name("a/b/") == "a/b"


def test_protos_of_nodes():
    node = ops._NodeDef("Neg", "n", {"T": tf.compat.v1.AttrValue(type=1)})
    assert (node.op, node.name, node.attr["T"].type) == ("Neg", "n", 1)
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(1.0)
    assert tf.Operation.from_node_def(node, graph, [x]).outputs[0].consumers() == []
    with pytest.raises(ValueError, match="not a valid node name"):
        tf.Operation.from_node_def(ops._NodeDef("Neg", "_n"), graph, [x])


def test_gradient_functions():
    @tf.RegisterGradient("OfThisTest")
    def gradient(op, g):
        return g

    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        with graph.gradient_override_map({"Neg": "OfThisTest", "Abs": "NoneOfThisTest"}):
            assert ops.get_gradient_function((-x).op) is gradient and ops.get_gradient_function(x.op) is None
            with pytest.raises(LookupError, match="NoneOfThisTest"):
                ops.get_gradient_function(tf.abs(x).op)


def test_collections_of_protos():
    assert (
        ops.get_collection_proto_type("variables").DESCRIPTOR.name == "VariableDef"
        and ops.get_collection_proto_type("losses") is None
    )
    assert callable(ops.get_from_proto_function("variables")) and ops.get_from_proto_function("losses") is None


def test_statistics():
    @ops.RegisterStatistics("MyStatisticsOp", "flops")
    def flops(graph, node):
        return ops.OpStats("flops", 31)

    total = ops.OpStats("flops")
    for op in ("MyStatisticsOp", "Unknown", "MyStatisticsOp"):
        total += ops.get_stats_for_node_def(None, ops._NodeDef(op, "n"), "flops")
    assert total.value == 62
    with pytest.raises(TypeError, match="must not contain a comma"):
        ops.RegisterStatistics("a,b", "flops")


def test_attributes_of_scopes():
    from tensorboard.compat.proto.attr_value_pb2 import AttrValue

    with tf.Graph().as_default() as graph:
        with graph._attr_scope({"_A": AttrValue(s=b"foo")}):
            outer = tf.constant(1).op
            with graph._attr_scope({"_A": None, "_B": AttrValue(i=2)}):
                inner = tf.constant(1).op
        with graph._kernel_label_map({"Const": "mine"}):
            labelled = tf.constant(1).op
    assert outer.get_attr("_A") == b"foo" and inner.get_attr("_B") == 2 and labelled.get_attr("_kernel") == b"mine"
    with pytest.raises(ValueError, match="no attr named '_A'"):
        inner.get_attr("_A")


def test_conversions_of_several():
    sparse = tf.sparse.from_dense([1])
    assert [t.dtype for t in ops.convert_n_to_tensor([1, [2.0]])] == [tf.int32, tf.float32]
    one, none, same = ops.convert_n_to_tensor_or_composite([1, None, sparse])
    assert one.numpy() == 1 and none is None and same is sparse
    with pytest.raises(TypeError, match="must be a sequence"):
        ops.convert_n_to_tensor(3)
    with pytest.raises(ValueError, match="Requested dtype is float32"):
        ops.internal_convert_to_tensor_or_composite(sparse, tf.float32)
    variable = tf.Variable(1)
    assert ops.internal_convert_to_tensor(variable, as_ref=True) is variable.handle
    assert ops.convert_to_tensor([1], None, None, False, tf.int64).dtype == tf.int64
    assert ops.is_dense_tensor_like(variable) and not ops.is_dense_tensor_like(sparse)


def test_texts_of_values():
    x = tf.constant([1, 2])
    assert ops.value_text(x) == "[1 2]" and ops.value_text(x, True) == "numpy=array([1, 2], dtype=int32)"
    assert ops.tensor_id(x) != ops.tensor_id(tf.constant(1))


def test_modes_of_promotion():
    assert ops.get_dtype_conversion_mode() is ops.PromoMode.OFF
    assert not ops.is_auto_dtype_conversion_enabled() and not ops.is_numpy_style_type_promotion()
    assert ops.promo_mode_enum_to_string(ops.PromoMode.SAFE) == "safe"
    with pytest.raises(ValueError, match="does not exist"):
        ops.promo_mode_enum_to_string("safe")
    with pytest.raises(ValueError, match="does not exist"):
        ops.set_dtype_conversion_mode("some")


def test_the_graph_of_inputs():
    with tf.Graph().as_default() as first:
        values = [tf.constant(0.0), tf.constant(1.0).op]
        assert ops._get_graph_from_inputs([]) is first
    with tf.Graph().as_default() as second:
        assert ops._get_graph_from_inputs(values) is first is ops._get_graph_from_inputs(values, first)
        with pytest.raises(ValueError, match="not from the passed-in graph"):
            ops._get_graph_from_inputs(values, second)
        with pytest.raises(ValueError, match="must be from the same graph"):
            ops._get_graph_from_inputs([*values, tf.constant(2.0)])
        with pytest.raises(TypeError, match="Input graph needs to be a Graph"):
            ops._get_graph_from_inputs(values, 3)
