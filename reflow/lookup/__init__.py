"""`tf.lookup`: tables from keys to values. The public names: `reflow/public/lookup/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
