"""Types of arguments."""

import re

import pytest

import reflow as tf
from reflow.drop_in.core.function import trace_type


def test_types_of_values():
    assert trace_type.from_value(tf.constant(1.0)) == tf.TensorSpec([])
    pair = trace_type.from_value((1, tf.constant([1.0])), trace_type.InternalTracingContext(is_legacy_signature=True))
    assert repr(pair) == "Tuple[Literal[1], TensorSpec(shape=(1,), dtype=tf.float32, name=None)]"
    assert pair == trace_type.from_value((1, tf.constant([2.0]))) != trace_type.from_value((2, tf.constant([2.0])))
    assert pair.is_subtype_of(trace_type.from_value((1, tf.TensorSpec([None]))))


def test_types_travel_as_protos():
    types = {"a": (tf.float32, tf.TensorShape([None, 2])), "b": [tf.TensorSpec([3], tf.int8)]}
    assert trace_type.deserialize(trace_type.serialize(types)) == types


def test_the_tensors_of_a_type():
    named = [tf.TensorSpec(None, name=name) for name in "abc"]
    assert trace_type.from_value({"x": [named[0]], "y": (named[1], 3, [named[2]])}).flatten() == named
    assert trace_type.from_value(1).flatten() == []
    assert tf.TensorSpec([2]).__tf_tracing_type__(trace_type.InternalTracingContext()) == tf.TensorSpec([2])


def test_a_named_spec_is_no_subtype_of_others():
    named, unnamed = tf.TensorSpec([1], name="a"), tf.TensorSpec([1])
    assert unnamed.is_subtype_of(named) and not named.is_subtype_of(unnamed) and named.is_subtype_of(named)


def test_casts():
    spec = tf.TensorSpec([])
    allowing = trace_type.InternalCastContext(allow_specs=True)
    assert spec.cast(1, trace_type.InternalCastContext()).dtype is tf.float32
    assert spec.cast(tf.Variable(1.0), allowing).numpy() == 1.0 and spec.cast(tf.TensorSpec([]), allowing) == spec
    for value, found in ((tf.constant(1), "TensorSpec(shape=(), dtype=tf.int32, name=None)"),
                         ([1, 2], "TensorSpec(shape=(2,), dtype=tf.float32, name=None)")):  # fmt: skip
        with pytest.raises(TypeError, match=re.escape(f"Can not cast {found} to {spec!r}")):
            spec.cast(value)


def test_placeholders_in_a_plain_graph():
    with tf.Graph().as_default() as graph:
        context = trace_type.InternalPlaceholderContext(graph)
        names = [tf.TensorSpec([2], name=name).placeholder_value(context).name for name in ("ab", "ab", None, "a%")]
        assert names == ["ab:0", "ab_1:0", "Placeholder:0", "Placeholder_1:0"]
        made = tf.TensorSpec([None, 2], tf.int8)._graph_placeholder(graph, "x")
        assert (made.name, made.dtype, made.shape.as_list()) == ("x:0", tf.int8, [None, 2])


def test_contexts_keep_placeholders():
    context = trace_type.InternalPlaceholderContext(placeholder_mapping={1: "x"})
    context.add_placeholder(2, "y")
    assert context.has_placeholder(2) and not context.has_placeholder(3) and context.get_placeholder(1) == "x"
    with pytest.raises(KeyError, match="alias id: 1 is already stored"):
        context.add_placeholder(1, "z")
    with pytest.raises(KeyError, match="alias_id: 3 not found"):
        context.get_placeholder(3)
    tracing = trace_type.InternalTracingContext()
    assert [tracing.alias_global_id(i) for i in "aba"] == [0, 1, 0]
    tracing.add_placeholder(1, 2)
    assert tracing.get_placeholder_mapping() == {1: 2} and not tracing.is_legacy_signature
