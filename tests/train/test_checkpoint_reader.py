"""Looking into checkpoints without the objects that they were made from."""

import pathlib
import time

import numpy as np
import pytest

from reflow.core import errors
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.train import bundle, checkpoint_reader, object_graph
from reflow.train.checkpoint import Checkpoint

VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def graph_of(prefix) -> list[object_graph.ObjectNode]:
    return object_graph.parse(bundle.Reader(prefix).get(object_graph.OBJECT_GRAPH_KEY).item())


def keys_of(prefix) -> list[str]:
    return [key for key in bundle.Reader(prefix) if key != object_graph.OBJECT_GRAPH_KEY]


@pytest.fixture
def saved(tmp_path):
    """The path of a checkpoint with v=[1, 2] and items=[3]."""
    return Checkpoint(v=Variable([1.0, 2.0]), items=[Variable(3)]).save(tmp_path / "ckpt")


def existing(folder) -> list[str]:
    return sorted(path.stem for path in pathlib.Path(folder).glob("*.index"))


def test_readers(saved, tmp_path):
    shapes = [
        (object_graph.OBJECT_GRAPH_KEY, []), ("items/0" + VALUE, []), ("save_counter" + VALUE, []), ("v" + VALUE, [2])
    ]
    assert checkpoint_reader.list_variables(saved) == shapes
    assert checkpoint_reader.list_variables(tmp_path) == shapes
    assert checkpoint_reader.load_variable(saved, "v" + VALUE + ":0").tolist() == [1.0, 2.0]
    reader = checkpoint_reader.load_checkpoint(tmp_path)
    assert reader.has_tensor("v" + VALUE)
    assert not reader.has_tensor("w")
    assert reader.get_tensor("items/0" + VALUE) == 3
    assert reader.get_variable_to_shape_map()["v" + VALUE] == [2]
    assert reader.get_variable_to_dtype_map()["v" + VALUE] == "float32"
    assert f"v{VALUE} (DT_FLOAT) [2]\n".encode() in reader.debug_string()
    with pytest.raises(errors.NotFoundError, match="Key x not found in checkpoint"):
        reader.get_tensor("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file or checkpoints in given directory"):
        checkpoint_reader.load_checkpoint(tmp_path / "empty")


def test_checkpoints_iterator(tmp_path, monkeypatch):
    checkpoint, naps = Checkpoint(v=Variable(1.0)), []
    monkeypatch.setattr(time, "sleep", naps.append)
    first = checkpoint.save(tmp_path / "x")
    iterator = checkpoint_reader.checkpoints_iterator(tmp_path, timeout=0, min_interval_secs=60)
    assert next(iterator) == first
    second = checkpoint.save(tmp_path / "x")
    assert next(iterator) == second
    assert 50 < naps[0] <= 60
    with pytest.raises(StopIteration):
        next(iterator)
    answers = [False, True]
    waiting = checkpoint_reader.checkpoints_iterator(tmp_path / "none", timeout=0, timeout_fn=lambda: answers.pop(0))
    assert list(waiting) == []
    assert answers == []


def test_checkpoint_view(tmp_path):
    def build():
        root = Module()
        root.a, root.items = Variable(5.0), [Variable(1.0), Variable(2.0)]
        return root

    root = build()
    root.leaf = Module()
    root.leaf.v = Variable(1.0)
    view = checkpoint_reader.CheckpointView(Checkpoint(root).save(tmp_path / "x"))
    assert view.children(0) == {"a": 1, "items": 2, "leaf": 3, "root": 0, "save_counter": 4}
    assert view.descendants() == list(range(8))
    other = build()
    other.more = Variable(1.0)
    matched, only_stored, only_live = view.diff(other)
    assert sorted(matched) == [0, 1, 2, 5, 6]
    assert matched[1] is other.a
    assert only_stored == [3, 4, 7]
    assert len(only_live) == 1
    with pytest.raises(ValueError, match="Expected a Trackable, got 3"):
        view.match(3)
    bundle.write(tmp_path / "v1", {"w": np.ones(1)})
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        checkpoint_reader.CheckpointView(tmp_path / "v1")
