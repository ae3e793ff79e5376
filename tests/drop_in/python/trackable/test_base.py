"""Edges between trackable objects."""

import reflow as tf
from reflow.drop_in.python.trackable import base


def test_a_weak_edge():
    child = tf.Module()
    edge = base.WeakTrackableReference("child", child)
    assert edge.ref is child and edge.name == "child" and repr(edge).startswith("WeakTrackableReference(name=child")
    del child
    assert edge.ref is None


def test_a_block_without_tracking():
    parent = tf.Module()
    with base.no_automatic_dependency_tracking_scope(parent):
        parent.hidden = [1]
    parent.seen = [1]
    assert type(parent.hidden) is list and type(parent.seen) is not list


def test_a_tensor_that_is_not_restored():
    saveable = base.NoRestoreSaveable(tf.constant(1.0), "x")
    assert (
        saveable.restore([2.0], None) is None and saveable.specs[0].name == "x"
        and base.ShardInfo([2], [0]).offset == [0]
    )
