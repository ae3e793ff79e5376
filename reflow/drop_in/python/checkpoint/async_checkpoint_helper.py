"""`tensorflow.python.checkpoint.async_checkpoint_helper`: a checkpoint that always writes in the background."""

import copy

from reflow.train.checkpoint import Checkpoint, CheckpointOptions


class AsyncCheckpointHelper(Checkpoint):
    """A `tf.train.Checkpoint` whose `save` and `write` return when the values are gathered.

    `sync` waits for the files.
    """

    def __init__(self, checkpointer_impl, root=None, **kwargs):
        super().__init__(root, **kwargs)

    def _write(self, file_prefix, options, session=None):
        options = copy.copy(options) if options is not None else CheckpointOptions()
        options.enable_async = options.experimental_enable_async_checkpoint = True
        return super()._write(file_prefix, options, session)
