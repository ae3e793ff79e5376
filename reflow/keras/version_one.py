"""`tf.compat.v1.keras`: Keras as the namespace of version 1 exposes it.

Where the package of Keras 2 is chosen (`reflow/drop_in/legacy_keras.py`), this is its `_v1` namespace, with the layers
and initializers of version 1; Keras 3 has one namespace for both. The first attribute access loads it, and the import
system then puts it into this module's place in `tf.compat.v1`.
"""

import importlib

from reflow.drop_in.install import install_as_tensorflow


def _keras():
    install_as_tensorflow()
    return importlib.import_module("tensorflow.compat.v1.keras")


def __getattr__(name):
    if name.startswith("__") and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_keras(), name)


def __dir__():
    return dir(_keras())
