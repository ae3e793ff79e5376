"""`tf.summary` and `tf.profiler`: output for TensorBoard. The public names are in `reflow/public/summary/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
