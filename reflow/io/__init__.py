"""`tf.io`: files, TFRecords, `tf.train.Example`. The public names: `reflow/public/io/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
