"""`tensorflow.python.client._pywrap_events_writer`: a file of events."""

import pytest
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary

import reflow as tf
from reflow.drop_in.python.client._pywrap_events_writer import EventsWriter


def test_events_are_written_one_by_one(tmp_path):
    writer = EventsWriter(str(tmp_path / "mine").encode())
    path = writer.FileName()
    event = Event(wall_time=1.5, step=3, summary=Summary(value=[Summary.Value(tag="loss", simple_value=2.0)]))
    writer.WriteEvent(event)
    writer.Close()
    version, read = [Event.FromString(r.numpy()) for r in tf.data.TFRecordDataset(path)]
    assert "/mine.out.tfevents." in path and version.file_version == "brain.Event:2" and read == event
    with pytest.raises(TypeError, match="Expected an Event proto"):
        writer.WriteEvent("text")
