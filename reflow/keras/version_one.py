"""`tf.compat.v1.keras`: Keras as the namespace of version 1 exposes it.

Where the package of Keras 2 is chosen (`reflow/drop_in/legacy_keras.py`), this is its `_v1` namespace, with the layers
and initializers of version 1; Keras 3 has one namespace for both. The first attribute access loads it, and the import
system then puts it into this module's place in `tf.compat.v1`.
"""

from reflow.keras.namespace import Namespace

_namespace = Namespace(__name__, "tensorflow.compat.v1.keras")


def __getattr__(name):
    return _namespace.get(name)


def __dir__():
    return _namespace.names()
