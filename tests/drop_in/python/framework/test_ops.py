"""Scopes of names, with and without a graph."""

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
