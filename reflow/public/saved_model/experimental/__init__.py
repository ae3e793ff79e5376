# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.saved_model.experimental`."""

from reflow.saved_model.options import VariablePolicy as VariablePolicy
from reflow.tracking.resource import TrackableResource as TrackableResource
