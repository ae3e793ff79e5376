"""The value of the global step before a training step. The expectations are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.training import training_util

v1 = tf.compat.v1


def test_one_read_for_a_graph():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        assert training_util._get_or_create_global_step_read() is None
        with pytest.raises(ValueError, match="Global step tensor should be created"):
            training_util._increment_global_step(1)
        step = v1.train.create_global_step()
        read = training_util._get_or_create_global_step_read()
        assert training_util._get_global_step_read() is training_util._get_or_create_global_step_read() is read
        assert read.op.name.startswith("global_step/")
        assert session.run(read) == 0  # before the step has a value
        session.run(step.initializer)
        advanced = training_util._increment_global_step(2)
        assert session.run([read, advanced])[0] == 0 and session.run(read) == 2
        graph.add_to_collection(training_util.GLOBAL_STEP_READ_KEY, read)
        with pytest.raises(RuntimeError, match="There are multiple items in collection"):
            training_util._get_global_step_read()
