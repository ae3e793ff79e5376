"""`tf.distribute`: training on several devices. The public names: `reflow/public/distribute/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
