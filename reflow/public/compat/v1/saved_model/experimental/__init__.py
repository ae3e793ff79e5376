# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.experimental`."""

from reflow.saved_model.options import VariablePolicy as VariablePolicy
from reflow.saved_model.saving import save as save
from reflow.tracking.resource import TrackableResource as TrackableResource
