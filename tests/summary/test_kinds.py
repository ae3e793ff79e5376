"""`tf.summary.scalar`, `histogram`, `image`, `text`: the events that TensorFlow writes."""

import numpy as np
import pytest

import reflow as tf
from tests.io.recorded_files import GOLDEN
from tests.summary.events import values


def write_events(folder):
    with tf.summary.create_file_writer(str(folder)).as_default():
        for step in range(2):
            tf.summary.scalar("loss", 0.5 * step, step=step)
            tf.summary.histogram("h", np.arange(7.0), step=step, buckets=3)
            tf.summary.histogram("same", [2.0, 2.0], step=step, buckets=3)
            tf.summary.text("t", "hello", step=step)
            with tf.name_scope("outer"):
                tf.summary.image("im", np.zeros([1, 2, 3, 1], np.uint8), step=step)


def test_events_are_tensorflows(tmp_path):
    write_events(tmp_path / "logs")
    assert values(tmp_path / "logs") == values(GOLDEN / "events")


def test_graphs_that_are_none_are_refused(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.raises(ValueError, match="'graph_data' is not tf.Graph or tf.compat.v1.GraphDef"):
            tf.summary.graph("hello")
        with pytest.raises(ValueError, match=r"graph\(\) cannot be invoked inside a graph context"):
            tf.function(lambda: tf.summary.graph(tf.Graph()))()
