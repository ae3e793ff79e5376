"""The file `checkpoint` in a checkpoint folder: which checkpoint is the latest, and which are kept.

It is a CheckpointState in protobuf's text form::

    model_checkpoint_path: "ckpt-2"
    all_model_checkpoint_paths: "ckpt-1"
    all_model_checkpoint_paths: "ckpt-2"
    all_model_checkpoint_timestamps: 1700000000.5
    all_model_checkpoint_timestamps: 1700000060.5
    last_preserved_timestamp: 1700000000.0

Relative paths are relative to the folder that holds the file. The paths are in order, oldest first.
"""

from __future__ import annotations

import glob
import logging
import os
import re
from collections.abc import Sequence

from google.protobuf import text_format
from google.protobuf.message import Message

from reflow.api.export import export
from reflow.core.os_errors import os_errors
from reflow.train import commit, protos

CheckpointState = protos.CheckpointState
_log = logging.getLogger("tensorflow")


def _state_path(folder: str | os.PathLike, latest_filename: str | None) -> str:
    return os.path.join(os.fspath(folder), "checkpoint" if latest_filename is None else latest_filename)


def _relative_to(folder: str, path: str) -> str:
    return path if os.path.isabs(path) else os.path.relpath(path, folder)


@export("compat.v1.train.generate_checkpoint_state_proto")
def generate_checkpoint_state_proto(
    save_dir: str | os.PathLike, model_checkpoint_path: str | os.PathLike,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None, last_preserved_timestamp: float | None = None,
) -> Message:
    """The state proto. With a relative `save_dir`, relative paths are rewritten to count from it.

    >>> tf.compat.v1.train.generate_checkpoint_state_proto("/models", "/models/ckpt-2").model_checkpoint_path
    '/models/ckpt-2'
    """
    save_dir, latest = os.fspath(save_dir), os.fspath(model_checkpoint_path)
    paths = [os.fspath(path) for path in all_model_checkpoint_paths or []]
    if not paths or paths[-1] != latest:
        _log.info("%s is not in all_model_checkpoint_paths. Manually adding it.", latest)
        paths.append(latest)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths "
            f"(got paths {paths} and timestamps {all_model_checkpoint_timestamps})"
        )
    if not os.path.isabs(save_dir):
        latest = _relative_to(save_dir, latest)
        paths = [_relative_to(save_dir, path) for path in paths]
    return CheckpointState(
        model_checkpoint_path=latest, all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


@export("compat.v1.train.update_checkpoint_state", "__internal__.train.update_checkpoint_state")
def update_checkpoint_state(
    save_dir: str | os.PathLike, model_checkpoint_path: str | os.PathLike,
    all_model_checkpoint_paths: Sequence[str] | None = None, latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None, last_preserved_timestamp: float | None = None,
    save_relative_paths: bool = False,
) -> None:
    """Writes the folder's state file, in one step.

    `save_relative_paths` also rewrites absolute paths to count from the folder, so that it can be moved.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.compat.v1.train.update_checkpoint_state(folder, "ckpt-2")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == folder + "/ckpt-2"
    True
    """
    save_dir, latest = os.fspath(save_dir), os.fspath(model_checkpoint_path)
    paths = [os.fspath(path) for path in all_model_checkpoint_paths or []]
    if save_relative_paths:
        latest, *paths = (os.path.relpath(p, save_dir) if os.path.isabs(p) else p for p in [latest, *paths])
    state = generate_checkpoint_state_proto(
        save_dir, latest, paths, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    target = _state_path(save_dir, latest_filename)
    if target == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  "
            "Please use a different save path."
        )
    with os_errors(target), commit.folder_lock(save_dir or "."):
        commit.replace_file(target, text_format.MessageToString(state).encode())


@export("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir: str | os.PathLike, latest_filename: str | None = None) -> Message | None:
    """Returns what the file `checkpoint` of a folder says about its checkpoints.

    Args:
      checkpoint_dir: The folder.
      latest_filename: The name of the file, if it is not "checkpoint".

    Returns:
      A `CheckpointState` message with full paths; None if there is none or it cannot be read (a warning says why).

    Raises:
      ValueError: The file names no checkpoint.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(x=tf.Variable(1)).save(folder + "/ckpt")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == path
    True
    """
    checkpoint_dir = os.fspath(checkpoint_dir)
    path = _state_path(checkpoint_dir, latest_filename)
    if not os.path.exists(path):
        return None
    try:
        with open(path, "rb") as f:
            state = text_format.Parse(f.read().decode("utf-8"), CheckpointState())
    except (OSError, UnicodeDecodeError, text_format.ParseError) as e:
        _log.warning("%s: %s", type(e).__name__, e)
        _log.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")
    state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    paths = [os.path.join(checkpoint_dir, path) for path in state.all_model_checkpoint_paths]
    state.all_model_checkpoint_paths[:] = paths
    return state


@export("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: str | os.PathLike, latest_filename: str | None = None) -> str | None:
    """Returns the latest checkpoint of a folder.

    Args:
      checkpoint_dir: The folder.
      latest_filename: The name of the file that lists checkpoints, if it is not "checkpoint".

    Returns:
      Its prefix, for `tf.train.Checkpoint.restore`; None if there is none.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(x=tf.Variable(1)).save(folder + "/ckpt")
    >>> tf.train.latest_checkpoint(folder) == path
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    prefix = state.model_checkpoint_path
    if checkpoint_exists(prefix):
        return prefix
    _log.error("Couldn't match files for checkpoint %s", prefix)
    return None


def _files(prefix: str) -> list[str]:
    """The files of a checkpoint: index and shards, or a single file of the old format."""
    escaped = glob.escape(prefix)
    found = [*glob.glob(f"{escaped}.index"), *sorted(glob.glob(f"{escaped}.data-?????-of-?????"))]
    return found or [path for path in glob.glob(prefix) if os.path.isfile(path)]


@export("compat.v1.train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix: str | os.PathLike) -> bool:
    """Whether there is a checkpoint of that prefix.

    >>> tf.compat.v1.train.checkpoint_exists("/no/such/model.ckpt")
    False
    """
    prefix = os.fspath(checkpoint_prefix)
    return os.path.exists(f"{prefix}.index") or bool(glob.glob(prefix))


@export("compat.v1.train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[str]) -> list[float]:
    """The times, in seconds since the epoch, at which checkpoints were written; those that are not there are left out.

    >>> tf.compat.v1.train.get_checkpoint_mtimes(["/no/such/model.ckpt"])
    []
    """
    return [os.path.getmtime(found[0]) for found in map(_files, checkpoint_prefixes) if found]


@export("compat.v1.train.remove_checkpoint")
def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Delete the files of a checkpoint, and its graph.

    The index goes first: what is left after a kill is data without an index, never an index without data.

    >>> tf.compat.v1.train.remove_checkpoint("/no/such/model.ckpt")
    """
    graph = re.sub(r"-\?{5}-of-\d{5}$", "", checkpoint_prefix)  # of shards of version 1, whose name is a pattern
    paths = [f"{graph}.{meta_graph_suffix}", *_files(checkpoint_prefix)]
    if checkpoint_format_version != 2:
        paths += [path for path in glob.glob(checkpoint_prefix) if os.path.isfile(path)]
    for path in paths:
        commit.remove(path)
