"""`reflow.keras`: Keras 3 on Reflow.

There is no second Keras here. The first attribute access, or the first `from reflow.keras.layers import Dense`,
activates the drop-in (`drop_in`), so that Keras' TensorFlow backend finds Reflow. From then on the attributes are those
of the `keras` package, as TensorFlow exposes them. Importing only this package does not import Keras.
"""

import importlib
import sys

from reflow.drop_in import install as drop_in
from reflow.drop_in.install import install_as_tensorflow

if not any(isinstance(finder, drop_in.KerasFinder) for finder in sys.meta_path):
    sys.meta_path.append(drop_in.KerasFinder())  # last: our own submodules come first


def _keras():
    install_as_tensorflow()
    return importlib.import_module("tensorflow.keras")


def __getattr__(name):
    if name.startswith("__") and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_keras(), name)


def __dir__():
    return dir(_keras())
