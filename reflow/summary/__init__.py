"""`tf.summary` and `tf.profiler`: what TensorBoard shows. The public names: `reflow/public/summary/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
