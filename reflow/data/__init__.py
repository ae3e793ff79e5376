"""`tf.data`: input pipelines. The public names: `reflow/public/data/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
