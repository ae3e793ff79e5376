"""The file `checkpoint` in a folder of checkpoints."""

import os
import pathlib

import numpy as np
import pytest

from reflow.core import errors
from reflow.train import bundle, checkpoint_state

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "bundle"


def test_tensorflows_state_file():
    folder = GOLDEN / "objects"
    state = checkpoint_state.get_checkpoint_state(folder)
    assert state.model_checkpoint_path == str(folder / "ckpt-3")
    assert list(state.all_model_checkpoint_paths) == [str(folder / "ckpt-2"), str(folder / "ckpt-3")]
    assert len(state.all_model_checkpoint_timestamps) == 2
    assert checkpoint_state.latest_checkpoint(folder) == str(folder / "ckpt-3")


def test_state_file_as_tensorflow_writes_it(tmp_path):
    """The same content gives the same text."""
    folder = GOLDEN / "objects"
    state = checkpoint_state.get_checkpoint_state(folder)
    checkpoint_state.update_checkpoint_state(
        tmp_path,
        "ckpt-3",
        ["ckpt-2", "ckpt-3"],
        all_model_checkpoint_timestamps=state.all_model_checkpoint_timestamps,
        last_preserved_timestamp=state.last_preserved_timestamp,
    )
    assert (tmp_path / "checkpoint").read_bytes() == (folder / "checkpoint").read_bytes()


def test_relative_folder_and_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("saves")
    bundle.write("saves/ckpt-1", {"x": np.zeros(1)})
    checkpoint_state.update_checkpoint_state("saves", "saves/ckpt-1")
    assert 'model_checkpoint_path: "ckpt-1"' in (tmp_path / "saves" / "checkpoint").read_text()
    assert checkpoint_state.latest_checkpoint("saves") == "saves/ckpt-1"
    os.rename("saves", "moved")
    assert checkpoint_state.latest_checkpoint("moved") == "moved/ckpt-1"


def test_absolute_paths_stay_unless_asked(tmp_path):
    path = str(tmp_path / "ckpt-1")
    given = ["a"]
    checkpoint_state.update_checkpoint_state(tmp_path, path, given)
    assert f'"{path}"' in (tmp_path / "checkpoint").read_text()
    assert given == ["a"]
    checkpoint_state.update_checkpoint_state(tmp_path, path, save_relative_paths=True, latest_filename="other")
    assert 'model_checkpoint_path: "ckpt-1"' in (tmp_path / "other").read_text()


def test_state_errors(tmp_path, caplog):
    assert checkpoint_state.latest_checkpoint(tmp_path) is None
    assert checkpoint_state.latest_checkpoint(tmp_path / "nowhere") is None
    with pytest.raises(RuntimeError, match="conflicts with path used for checkpoint state"):
        checkpoint_state.update_checkpoint_state(str(tmp_path), str(tmp_path / "checkpoint"))
    with pytest.raises(ValueError, match="must match checkpoint paths"):
        checkpoint_state.update_checkpoint_state(tmp_path, "a", ["a"], all_model_checkpoint_timestamps=[1.0, 2.0])
    with pytest.raises(errors.NotFoundError):
        checkpoint_state.update_checkpoint_state(tmp_path / "nowhere", "a")
    checkpoint_state.update_checkpoint_state(tmp_path, "gone")
    assert checkpoint_state.latest_checkpoint(tmp_path) is None
    assert "Couldn't match files for checkpoint" in caplog.text
    for damaged in (b"what is this", b"\xff\xfe", b'model_checkpoint_path: "a'):
        (tmp_path / "checkpoint").write_bytes(damaged)
        assert checkpoint_state.get_checkpoint_state(tmp_path) is None
    assert "Checkpoint ignored" in caplog.text
    (tmp_path / "checkpoint").write_bytes(b"")
    with pytest.raises(ValueError, match="Invalid checkpoint state"):
        checkpoint_state.get_checkpoint_state(tmp_path)
