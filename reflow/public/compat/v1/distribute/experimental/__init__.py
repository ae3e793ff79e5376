# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.distribute.experimental`."""

from reflow.compat.distribute.parameter_servers import ParameterServerStrategyV1 as ParameterServerStrategy
from reflow.compat.distribute.strategies import CentralStorageStrategyV1 as CentralStorageStrategy
from reflow.compat.distribute.strategies import MultiWorkerMirroredStrategyV1 as MultiWorkerMirroredStrategy
from reflow.compat.distribute.strategies import TPUStrategyV1 as TPUStrategy
from reflow.distribute.communication import CommunicationImplementation as CommunicationImplementation
from reflow.distribute.communication import CommunicationOptions as CommunicationOptions
from reflow.distribute.communication import Hints as CollectiveHints

CollectiveCommunication = CommunicationImplementation

__all__ = [
    "CentralStorageStrategy", "CollectiveCommunication", "CollectiveHints", "CommunicationImplementation",
    "CommunicationOptions", "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy",
]
