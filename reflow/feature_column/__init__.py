"""`tf.feature_column`: how the features of an example become the numbers of a model. The public names: `reflow/public/feature_column/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
