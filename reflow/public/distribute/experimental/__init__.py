# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.experimental`."""

from reflow.distribute.clusters import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from reflow.distribute.clusters import ParameterServerStrategy as ParameterServerStrategy
from reflow.distribute.clusters import TPUStrategy as TPUStrategy
from reflow.distribute.values import ValueContext as ValueContext

__all__ = [
    "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy", "ValueContext",
]
