# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.experimental.rpc`."""

from reflow.distribute.rpc import Client as Client
from reflow.distribute.rpc import Server as Server
