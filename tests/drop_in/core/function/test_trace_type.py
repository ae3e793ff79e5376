"""Types of arguments."""

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
