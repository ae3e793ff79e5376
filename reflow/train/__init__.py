"""`tf.train`: checkpoints. The public names: `reflow/public/train/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
