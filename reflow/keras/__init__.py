"""`reflow.keras`: Keras 3 on Reflow.

There is no second Keras here. The first attribute access, or the first `from reflow.keras.layers import Dense`,
activates the drop-in (`drop_in`), so that Keras' TensorFlow backend finds Reflow. From then on the attributes are those
of the `keras` package, as TensorFlow exposes them. Importing only this package does not import Keras.
"""

import sys

from reflow.drop_in import install as drop_in
from reflow.keras.namespace import Namespace

if not any(isinstance(finder, drop_in.KerasFinder) for finder in sys.meta_path):
    sys.meta_path.append(drop_in.KerasFinder())  # last: our own submodules come first

_namespace = Namespace(__name__, "tensorflow.keras")


def __getattr__(name):
    return _namespace.get(name)


def __dir__():
    return _namespace.names()
