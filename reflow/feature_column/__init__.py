"""`tf.feature_column`: how features become model inputs. The public names are in `reflow/public/feature_column/`."""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
