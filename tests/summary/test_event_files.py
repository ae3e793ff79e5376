"""Event files: when they are made, and what waits to be written."""

import shutil

import numpy as np
import pytest

import reflow as tf
from reflow.io import records
from reflow.summary import event_files
from reflow.summary.event_files import EventFile, tensor_proto


def events(file):
    from tensorboard.compat.proto.event_pb2 import Event

    return [Event.FromString(r) for r in records.read(file.path)]


def test_no_file_before_the_first_flush(tmp_path):
    file = EventFile(str(tmp_path / "logs"))
    file.add(step=1)
    assert not (tmp_path / "logs").exists() and file.path is None
    file.flush()
    first, second = events(file)
    assert first.file_version == "brain.Event:2" and second.step == 1 and second.wall_time > 0


def test_a_full_queue_is_written(tmp_path):
    file = EventFile(str(tmp_path), max_queue=2)
    for step in range(3):
        file.add(step=step)
    assert [e.step for e in events(file)[1:]] == [0, 1, 2] and file.queue == []


def test_time_writes_it_too(tmp_path):
    file = EventFile(str(tmp_path), flush_millis=-1)
    file.add(step=1)
    assert len(events(file)) == 2


def test_names_differ(tmp_path):
    files = [EventFile(str(tmp_path)) for _ in range(2)]
    for file in files:
        file.open()
    assert len(list(tmp_path.iterdir())) == 2 and files[0].path.endswith(".v2")


def test_a_closed_file_takes_nothing(tmp_path):
    file = EventFile(str(tmp_path))
    file.close()
    file.close()
    with pytest.raises(tf.errors.FailedPreconditionError):
        file.add(step=1)


def test_what_waits_is_written_when_the_file_is_forgotten(tmp_path):
    file = EventFile(str(tmp_path))
    file.add(step=1)
    file.__del__()
    assert len(events(file)) == 2


def test_arrays_as_protos():
    proto = tensor_proto(np.array([1.5, 2.5], np.float32))
    assert tf.make_ndarray(proto).tolist() == [1.5, 2.5]
    assert tf.make_ndarray(tensor_proto(np.array([b"a"], object))).tolist() == [b"a"]


def test_a_folder_that_is_gone_does_not_keep_other_files_from_being_written(tmp_path, caplog, monkeypatch):
    gone, kept = EventFile(str(tmp_path / "gone")), EventFile(str(tmp_path / "kept"))
    for file in (gone, kept):
        file.flush()
        file.add(step=1)
    shutil.rmtree(tmp_path / "gone")
    monkeypatch.setattr(event_files, "_open_files", [gone, kept])  # at the end of a program, in this order
    event_files._write_all()
    assert "An event file was not written" in caplog.text
    assert [event.step for event in events(kept)] == [0, 1]
    gone.queue.clear()
