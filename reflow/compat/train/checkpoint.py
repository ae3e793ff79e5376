"""`tf.compat.v1.train.Checkpoint`: `tf.train.Checkpoint` that saves and restores in a session."""

from __future__ import annotations

from typing import Any

from reflow.api.export import export
from reflow.train import metrics
from reflow.train.checkpoint import Checkpoint, CheckpointOptions


@export("compat.v1.train.Checkpoint")
class CheckpointV1(Checkpoint):
    """Saves and restores trackable objects, in a graph in a session.

    >>> import tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.Variable(1)
    ...     checkpoint = tf.compat.v1.train.Checkpoint(step=step)
    ...     session.run(step.initializer)
    ...     path = checkpoint.save(tempfile.mkdtemp() + "/ckpt", session)
    ...     _ = session.run(step.assign(5))
    ...     checkpoint.restore(path).assert_consumed().run_restore_ops(session)
    ...     int(session.run(step))
    1
    """

    _label = metrics.CHECKPOINT_V1

    def __init__(self, **kwargs: Any):
        super().__init__(None, **kwargs)

    def write(self, file_prefix: Any, session: Any = None, options: CheckpointOptions | None = None) -> str:  # type: ignore[override]
        """Write a checkpoint with exactly this prefix, in the default session if none is given."""
        return self._write(file_prefix, options, session)

    def save(self, file_prefix: Any, session: Any = None, options: CheckpointOptions | None = None) -> str:  # type: ignore[override]
        """Count `save_counter` up, write `file_prefix-<number>` and make it the folder's latest checkpoint."""
        return self._save(file_prefix, options, session)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore a checkpoint. In a graph the returned status runs the restore."""
        status = self.read(save_path, options)
        self._maybe_create_save_counter()
        return status
