"""`tf.compat`: TensorFlow 1, and text and shapes in all versions. The public names: `reflow/public/compat/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
