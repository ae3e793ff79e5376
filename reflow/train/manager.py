"""`tf.train.CheckpointManager`: numbers checkpoints in a folder, keeps some, deletes the others.

The folder's `checkpoint` file (`checkpoint_state`) holds the manager's state: the paths in the active set with their
write times, and the time of the last one that was kept permanently. It is written before anything is deleted and again
after.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import logging as log
from reflow.train import checkpoint_state
from reflow.train.checkpoint import Checkpoint, CheckpointOptions
from reflow.train.restore import forget_reader
from reflow.train.restore_status import in_session_mode, session_or_default


@export("train.CheckpointManager")
class CheckpointManager:
    """Saves a `tf.train.Checkpoint` into a folder again and again, and deletes old ones.

    Args:
      checkpoint: The `tf.train.Checkpoint`.
      directory: The folder.
      max_to_keep: How many of the last checkpoints stay; None keeps all.
      keep_checkpoint_every_n_hours: A checkpoint is kept for good if it was written this long after the last one that
        was.
      checkpoint_name: What the names of the checkpoints begin with.
      step_counter: A variable or number of the current step, for `checkpoint_interval`.
      checkpoint_interval: `save` does nothing until `step_counter` has moved on by that many steps.
      init_fn: A function that initializes when there is nothing to restore.
      last_checkpoint_step: The step of the last checkpoint, if it is known.

    Raises:
      ValueError: `max_to_keep` is not positive, or `checkpoint_interval` is given without `step_counter`.

    >>> import tempfile
    >>> manager = tf.train.CheckpointManager(tf.train.Checkpoint(x=tf.Variable(1)), tempfile.mkdtemp(), max_to_keep=2)
    >>> for step in range(3):
    ...     path = manager.save()
    >>> len(manager.checkpoints), manager.latest_checkpoint == path
    (2, True)
    """

    def __init__(
        self, checkpoint: Checkpoint, directory: str | os.PathLike, max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt", step_counter=None,
        checkpoint_interval: int | None = None, init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        self._init_fn = init_fn
        self._step_counter = step_counter
        self._checkpoint_interval = checkpoint_interval
        self._last_checkpoint_step = last_checkpoint_step
        #: path -> time of writing, oldest first
        self._maybe_delete: dict[str, float] = {}
        self._latest_checkpoint: str | None = None
        self._last_preserved_timestamp = time.time() - 1.0
        self._recover()

    def _recover(self):
        """Go on where a manager of the same folder stopped."""
        recovered = checkpoint_state.get_checkpoint_state(self._directory)
        if recovered is None:
            return
        now = time.time()
        self._latest_checkpoint = recovered.model_checkpoint_path
        self._last_preserved_timestamp = recovered.last_preserved_timestamp
        if now < self._last_preserved_timestamp:
            log.warn(
                "time.time() returned a value %f seconds behind the last preserved checkpoint timestamp.",
                self._last_preserved_timestamp - now,
            )
            self._last_preserved_timestamp = now
        paths = recovered.all_model_checkpoint_paths
        times = recovered.all_model_checkpoint_timestamps or [self._last_preserved_timestamp] * len(paths)
        for path, written in zip(paths, times, strict=False):
            if min(written, now) > self._last_preserved_timestamp:
                self._maybe_delete[path] = min(written, now)

    directory = property(lambda self: self._directory)
    checkpoint = property(lambda self: self._checkpoint)
    checkpoint_interval = property(lambda self: self._checkpoint_interval)

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the newest checkpoint, or None."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints of the active set, oldest first, without those kept by `keep_checkpoint_every_n_hours`."""
        return list(self._maybe_delete)

    def save(self, checkpoint_number=None, check_interval=True, options: CheckpointOptions | None = None) -> str | None:
        """Writes a new checkpoint, and deletes what is too old.

        Args:
          checkpoint_number: Its number; by default the checkpoint's `save_counter`.
          check_interval: Whether `checkpoint_interval` is kept to. Without it, only a second save of one step is left
            out.
          options: A `tf.train.CheckpointOptions`.

        Returns:
          The prefix of the checkpoint; None if the interval has not passed.
        """
        if self._checkpoint_interval is not None and not self._is_due(check_interval):
            return None
        counted = self._checkpoint._next_number()
        number = counted if checkpoint_number is None else _value(checkpoint_number)
        options = (options or CheckpointOptions()).with_callback(self._record_and_sweep)
        return self._checkpoint._write(f"{self._checkpoint_prefix}-{number}", options)

    def _is_due(self, check_interval: bool) -> bool:
        step, last = _value(self._step_counter), self._last_checkpoint_step
        if last is not None and (step == last or (check_interval and step < last + (self._checkpoint_interval or 0))):
            return False
        self._last_checkpoint_step = step
        return True

    def _record_and_sweep(self, save_path: str):
        self._maybe_delete.pop(save_path, None)  # overwritten: it is now the newest
        self._maybe_delete[save_path] = time.time()
        self._latest_checkpoint = save_path
        self._record_state()
        self._sweep()
        self._record_state()

    def _record_state(self):
        checkpoint_state.update_checkpoint_state(
            self._directory, self._latest_checkpoint or "", list(self._maybe_delete),
            all_model_checkpoint_timestamps=list(self._maybe_delete.values()),
            last_preserved_timestamp=self._last_preserved_timestamp, save_relative_paths=True,
        )

    def _sweep(self):
        while self._max_to_keep and len(self._maybe_delete) > self._max_to_keep:
            path = next(iter(self._maybe_delete))
            written = self._maybe_delete.pop(path)
            hours = self._keep_checkpoint_every_n_hours
            if hours and written - hours * 3600.0 >= self._last_preserved_timestamp:
                self._last_preserved_timestamp = written
                continue
            _delete(path)

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint; if there is none, calls `init_fn`.

        Returns:
          The prefix of the checkpoint, or None.
        """
        if self._latest_checkpoint is None:
            if self._init_fn is not None:
                self._init_fn()
                log.logger.info("Customized initialization is done through the passed `init_fn`.")
            return None
        self._checkpoint.restore(self._latest_checkpoint)
        if self._checkpoint_interval is not None:
            self._last_checkpoint_step = _value(self._step_counter)
        return self._latest_checkpoint

    def sync(self):
        """Waits until a write in the background has ended."""
        self._checkpoint.sync()


def _value(x) -> int:
    if in_session_mode() and hasattr(x, "dtype") and not isinstance(x, np.generic | np.ndarray):
        return int(session_or_default(None).run(x))
    return int(x.numpy()) if hasattr(x, "numpy") else int(x)


def _delete(prefix: str):
    """The index first: what is left after a kill is data without an index, never an index without data."""
    forget_reader(prefix)
    escaped = glob.escape(prefix)
    for path in [*glob.glob(f"{escaped}.index"), *glob.glob(f"{escaped}.data-?????-of-?????")]:
        try:
            os.remove(path)
        except FileNotFoundError:
            log.warn(
                "Hit NotFoundError when deleting '%s', possibly because another process/thread is also "
                "deleting/moving the same file",
                path,
            )
