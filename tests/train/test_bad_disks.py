"""Saving to a disk that is full, a folder that may not be written, a folder that was removed.

The error names the file, what was there stays.
"""

import contextlib
import errno
import os
import pathlib
import shutil
import tempfile

import pytest

import reflow as tf
from reflow.core import errors

NOBODY = 65534


@pytest.fixture
def folder():
    """One that another user can reach, unlike pytest's."""
    path = pathlib.Path(tempfile.mkdtemp())
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def writers(folder: pathlib.Path) -> dict:
    """Everything that saves a variable of 1,000 numbers, each called again and again; it must have been called once."""
    module = tf.Module()
    module.v = tf.Variable(tf.ones(1000))
    module.f = tf.function(lambda x: x * module.v[0], input_signature=[tf.TensorSpec([])])
    checkpoint = tf.train.Checkpoint(v=module.v)
    manager = tf.train.CheckpointManager(checkpoint, str(folder / "managed"), max_to_keep=2)
    in_background = tf.train.CheckpointOptions(enable_async=True)

    def write_in_background():
        checkpoint.write(str(folder / "later"), in_background)
        checkpoint.sync()

    return {
        "checkpoint": lambda: checkpoint.write(str(folder / "ckpt")),
        "manager": manager.save,
        "background": write_in_background,
        "saver": lambda: tf.compat.v1.train.Saver([module.v], write_version=1).save(None, str(folder / "old")),
        "saved model": lambda: tf.saved_model.save(module, str(folder / "model")),
    }


def assert_all_there(folder: pathlib.Path) -> None:
    """Each of the writers has left something that can be read."""
    latest = tf.train.latest_checkpoint(str(folder / "managed"))
    for path in (folder / "ckpt", folder / "later", folder / "old", latest):
        reader = tf.train.load_checkpoint(str(path))
        assert (
            [
                reader.get_tensor(key).sum() for key, shape in reader.get_variable_to_shape_map().items()
                if shape == [1000]
            ]
            == [1000.0]
        )
    assert tf.saved_model.load(str(folder / "model")).f(2.0).numpy() == 2.0


@contextlib.contextmanager
def as_nobody():
    """Without the administrator's right to write everywhere."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_a_folder_that_may_not_be_written(folder):
    made = writers(folder)
    for write in made.values():
        write()
    for path in (folder, *folder.rglob("*")):
        os.chmod(path, 0o555 if path.is_dir() else 0o444)
    with as_nobody():
        for name, write in made.items():
            with pytest.raises(errors.PermissionDeniedError) as caught:
                write()
            assert str(folder) in str(caught.value), name
    for path in (folder, *folder.rglob("*")):
        os.chmod(path, 0o755)
    assert_all_there(folder)
    for write in made.values():
        write()
    assert_all_there(folder)


@pytest.mark.parametrize("left", [0, 1, 3])
def test_a_disk_that_is_full(folder, monkeypatch, left):
    """After `left` more files have been written and synced, there is no space for another."""
    made = writers(folder)
    for write in made.values():
        write()
    for name, write in made.items():
        calls = []

        def full(fd, synced=os.fsync, calls=calls):
            calls.append(fd)
            if len(calls) > left:
                raise OSError(errno.ENOSPC, "No space left on device")
            return synced(fd)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(errors.ResourceExhaustedError, match="No space left on device") as caught:
                write()
        assert str(folder) in str(caught.value), name
        assert_all_there(folder)
    assert not list(folder.rglob("*.reflow-new*"))


def test_a_folder_that_was_removed_is_made_again(folder):
    made = writers(folder)
    for _ in range(2):
        for write in made.values():
            write()
        assert_all_there(folder)
        shutil.rmtree(folder)


def test_a_disk_that_cannot_be_read(folder, monkeypatch):
    """An error of the disk names the file; it is no damaged checkpoint."""
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(folder / "ckpt"))

    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "preadv", broken)
        with pytest.raises(errors.OpError, match="Input/output error") as caught:
            tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    assert path in str(caught.value)
