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


def test_nothing_is_tracked_by_hand_in_a_scope():
    outer, inner = tf.train.Checkpoint(), tf.train.Checkpoint()
    with base.no_manual_dependency_tracking_scope(outer):
        assert outer._track_trackable(inner, "inner") is inner
    assert outer._lookup_dependency("inner") is None
    outer._track_trackable(inner, "inner")
    assert outer._lookup_dependency("inner") is inner
