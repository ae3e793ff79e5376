"""`tf.train.CheckpointManager`: which checkpoints it keeps, and when it saves."""

import pathlib
import time

import pytest

from reflow.eager.variables import Variable
from reflow.train import checkpoint_state
from reflow.train.checkpoint import Checkpoint
from reflow.train.manager import CheckpointManager


def existing(folder) -> list[str]:
    return sorted(path.stem for path in pathlib.Path(folder).glob("*.index"))


def test_manager_keeps_the_last(tmp_path):
    checkpoint = Checkpoint(v=Variable(1.0))
    manager = CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert (manager.latest_checkpoint, manager.checkpoints) == (None, [])
    paths = [manager.save() for _ in range(4)]
    assert manager.checkpoints == paths[2:]
    assert manager.latest_checkpoint == paths[3] == str(tmp_path / "ckpt-4")
    assert existing(tmp_path) == ["ckpt-3", "ckpt-4"]
    assert len(list(tmp_path.glob("*.data*"))) == 2
    again = CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)
    assert again.checkpoints == paths[2:]
    again.save()
    assert existing(tmp_path) == ["ckpt-5"]
    state = checkpoint_state.get_checkpoint_state(tmp_path)
    assert list(state.all_model_checkpoint_paths) == [str(tmp_path / "ckpt-5")]
    assert (manager.directory, manager.checkpoint, manager.checkpoint_interval) == (str(tmp_path), checkpoint, None)


def test_manager_keeps_everything(tmp_path):
    manager = CheckpointManager(Checkpoint(v=Variable(1.0)), tmp_path, max_to_keep=None, checkpoint_name="model[1]")
    for _ in range(3):
        manager.save()
    assert len(existing(tmp_path)) == 3
    assert manager.save(checkpoint_number=Variable(7)) == str(tmp_path / "model[1]-7")
    one = CheckpointManager(manager.checkpoint, tmp_path, max_to_keep=1, checkpoint_name="model[1]")
    one.save(checkpoint_number=7)  # overwritten: the newest now
    assert existing(tmp_path) == ["model[1]-7"]


def test_manager_preserves_some(tmp_path, monkeypatch):
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    manager = CheckpointManager(Checkpoint(v=Variable(1.0)), tmp_path, 1, keep_checkpoint_every_n_hours=2)
    for _ in range(6):
        now += 3600.0
        manager.save()
    assert existing(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6"]
    assert manager.checkpoints == [str(tmp_path / "ckpt-6")]
    now -= 10 * 3600.0  # the clock runs backwards: nothing is deleted by mistake
    CheckpointManager(manager.checkpoint, tmp_path, 1).save()
    assert "ckpt-2" in existing(tmp_path)


def test_manager_saves_at_intervals(tmp_path):
    step = Variable(0)
    manager = CheckpointManager(Checkpoint(step=step), tmp_path, 5, step_counter=step, checkpoint_interval=10)
    assert manager.checkpoint_interval == 10
    saved = []
    for i in range(0, 25, 5):
        step.assign(i)
        saved.append(manager.save() is not None)
    assert saved == [True, False, True, False, True]
    step.assign(21)
    assert manager.save() is None
    assert manager.save(check_interval=False) is not None
    assert manager.save(check_interval=False) is None, "not twice for one step"
    step.assign(0)
    again = CheckpointManager(Checkpoint(step=step), tmp_path, 5, step_counter=step, checkpoint_interval=10)
    assert again.restore_or_initialize() == manager.latest_checkpoint
    assert step.numpy() == 21
    assert again.save() is None


def test_manager_initializes(tmp_path, capsys):
    v, calls = Variable(1.0), []
    manager = CheckpointManager(Checkpoint(v=v), tmp_path, 1, init_fn=lambda: calls.append(1))
    assert manager.restore_or_initialize() is None
    assert calls == [1]
    path = manager.save()
    v.assign(5.0)
    assert manager.restore_or_initialize() == path
    assert (v.numpy(), calls) == (1.0, [1])
    manager.sync()


def test_manager_arguments(tmp_path):
    with pytest.raises(ValueError, match="Expected a positive integer or `None` for `max_to_keep`, got 0"):
        CheckpointManager(Checkpoint(), tmp_path, 0)
    with pytest.raises(ValueError, match="`step_counter` should be passed if `checkpoint_interval` is not None"):
        CheckpointManager(Checkpoint(), tmp_path, 1, checkpoint_interval=3)
