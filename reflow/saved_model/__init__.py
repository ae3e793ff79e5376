"""`tf.saved_model`: saving and loading SavedModels. The public names are in `reflow/public/saved_model/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
