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
    with (
        tf.summary.create_file_writer(str(tmp_path)).as_default(),
        pytest.raises(ValueError, match="`step` must be a scalar"),
    ):
        tf.summary.scalar("loss", 0.5, step=step)


def test_a_writer_that_writes_nothing_changes_nothing(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(), tf.summary.create_noop_writer().as_default():
        assert tf.summary.write("inside", 1.0, step=0)
    tf.summary.create_noop_writer().set_as_default()
    assert not tf.summary.write("outside", 1.0, step=0)


def test_a_step_that_is_set_in_a_block_stays(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.experimental.set_step(5)
    assert tf.summary.experimental.get_step() == 5
    with writer.as_default(step=7):
        tf.summary.experimental.set_step(8)
    assert tf.summary.experimental.get_step() == 5
    tf.summary.experimental.set_step(None)


def test_a_closed_writer_is_refused(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.close()
    with pytest.raises(RuntimeError, match="already closed"):
        writer.init()
    with pytest.raises(ValueError, match="Invalid argument to flush"):
        tf.summary.flush(writer=())


def test_scopes_leave_out_what_names_may_not_have():
    with tf.summary.experimental.summary_scope("f?o?o") as (tag, scope):
        assert (tag, scope) == ("f?o?o", "foo/")
    with tf.summary.experimental.summary_scope("???", "backup") as (tag, scope):
        assert (tag, scope) == ("???", "backup/")


def test_names_metadata_and_messages(tmp_path):
    names = []

    @tf.function
    def named():
        names.append(tf.summary.write("tag", 42, step=12, name="anonymous").name)

    metadata = tf.compat.v1.SummaryMetadata(plugin_data={"plugin_name": "mine"})
    many = [
        tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(simple_value=v)]).SerializeToString() for v in (1.0, 2.0)
    ]
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        named.get_concrete_function()
        assert names[0].startswith("anonymous")
        tf.summary.write("tensor", 0, 0, metadata=tf.constant(metadata.SerializeToString()))
        tf.summary.experimental.write_raw_pb(many, step=3)
        with pytest.raises(tf.errors.DataLossError, match="proto tensor string at index 0"):
            tf.summary.experimental.write_raw_pb("notaproto", step=3)
    (file,) = tmp_path.iterdir()
    events = [e for e in tf.compat.v1.train.summary_iterator(str(file)) if e.HasField("summary")]
    assert events[0].summary.value[0].metadata == metadata
    assert [v.simple_value for v in events[1].summary.value] == [1.0, 2.0], "several messages are one event"



def test_a_writer_that_is_created_again_begins_a_new_file(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        writer = tf.summary.create_file_writer(str(tmp_path))
        for _ in range(3):
            session.run(writer.init())
            session.run(writer.close())
    assert len(list(tmp_path.iterdir())) == 3
