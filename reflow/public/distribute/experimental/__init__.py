# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.experimental`."""

from reflow.distribute.central_storage import CentralStorageStrategy as CentralStorageStrategy
from reflow.distribute.communication import CommunicationImplementation as CommunicationImplementation
from reflow.distribute.communication import CommunicationOptions as CommunicationOptions
from reflow.distribute.communication import Hints as CollectiveHints
from reflow.distribute.multi_worker import ExperimentalMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from reflow.distribute.parameter_server import ParameterServerStrategyV2 as ParameterServerStrategy
from reflow.distribute.preemption import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from reflow.distribute.preemption import PreemptionWatcher as PreemptionWatcher
from reflow.distribute.preemption import TerminationConfig as TerminationConfig
from reflow.distribute.tpu.strategy import TPUStrategy as TPUStrategy
from reflow.distribute.values import ValueContext as ValueContext
from reflow.public.distribute.experimental import coordinator as coordinator
from reflow.public.distribute.experimental import partitioners as partitioners
from reflow.public.distribute.experimental import rpc as rpc

CollectiveCommunication = CommunicationImplementation

__all__ = [
    "CentralStorageStrategy", "CollectiveCommunication", "CollectiveHints", "CommunicationImplementation",
    "CommunicationOptions", "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "PreemptionCheckpointHandler",
    "PreemptionWatcher", "TPUStrategy", "TerminationConfig", "ValueContext", "coordinator", "partitioners", "rpc",
]
