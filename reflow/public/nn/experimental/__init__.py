# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.nn.experimental`."""

from reflow.api.nn.dropout import general_dropout as general_dropout
from reflow.api.nn.dropout import stateless_dropout as stateless_dropout
