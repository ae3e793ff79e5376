"""Summary writers: steps, conditions, functions."""

import pytest

import reflow as tf
from tests.expressions import session
from tests.summary.events import values

test_expressions = session(__file__)


def test_summaries_in_a_function(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def step(i):
        with writer.as_default(), tf.summary.record_if(i > 0):
            tf.summary.scalar("i", i, step=i)

    for i in range(3):
        step(tf.constant(i, tf.int64))
    writer.close()
    assert [(s, tag, v) for s, tag, _, _, _, v in values(tmp_path)[1]] == [(1, "i", 1.0), (2, "i", 2.0)]
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass


def test_no_writer_no_step(tmp_path):
    assert not tf.summary.scalar("a", 1.0, step=0) and not tf.summary.should_record_summaries()
    with tf.summary.create_file_writer(str(tmp_path)).as_default(), pytest.raises(ValueError, match="No step set"):
        tf.summary.scalar("a", 1.0)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        assert tf.summary.experimental.get_step() == 3 and tf.summary.scalar("a", 1.0)


@pytest.mark.parametrize("step", [(), [1, 2], tf.ones([1, 1])])
def test_a_step_is_one_number(step, tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(), pytest.raises(ValueError, match="`step` must be a scalar"):
        tf.summary.scalar("loss", 0.5, step=step)
