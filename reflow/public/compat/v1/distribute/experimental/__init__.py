# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.distribute.experimental`."""

from reflow.distribute.communication import CommunicationImplementation as CollectiveCommunication
from reflow.distribute.communication import CommunicationImplementation as CommunicationImplementation
from reflow.distribute.communication import CommunicationOptions as CommunicationOptions
from reflow.distribute.communication import Hints as CollectiveHints

__all__ = [
    "CollectiveCommunication", "CollectiveHints", "CommunicationImplementation", "CommunicationOptions",
]
