"""What `restore` returns."""

import pytest

import reflow as tf

v1 = tf.compat.v1


def test_no_checkpoint():
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(None)
    for name in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match"):
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            getattr(status, name)()
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(3.0)
        tf.train.Checkpoint(v=v).restore(None).initialize_or_restore(session)
        assert session.run(v) == 3.0


def test_nothing_matched(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "x")
    status = tf.train.Checkpoint(w=tf.Variable(1.0)).read(path)
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        status.assert_nontrivial_match()
    status.expect_partial()
