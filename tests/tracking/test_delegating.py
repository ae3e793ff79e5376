"""An object that a checkpoint sees as the one inside it."""

import reflow as tf


class Wrapper(tf.__internal__.tracking.DelegatingTrackableMixin, tf.__internal__.tracking.Trackable):
    def __init__(self, inner):
        tf.__internal__.tracking.DelegatingTrackableMixin.__init__(self, inner)


def test_the_checkpoint_of_a_wrapper_is_that_of_the_object_inside(tmp_path):
    inner = tf.Module()
    inner.v = tf.Variable(1.0)
    wrapper = Wrapper(inner)
    wrapper._track_trackable(tf.Variable(2.0), "w")
    assert sorted(inner._trackable_children()) == ["v", "w"]
    path = tf.train.Checkpoint(model=wrapper).save(str(tmp_path / "c"))
    plain = tf.Module()
    plain.v, plain.w = tf.Variable(0.0), tf.Variable(0.0)
    tf.train.Checkpoint(model=plain).restore(path).assert_consumed()
    assert [float(plain.v), float(plain.w)] == [1.0, 2.0]
