"""`tf.saved_model`: SavedModels, both ways. The public names: `reflow/public/saved_model/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
