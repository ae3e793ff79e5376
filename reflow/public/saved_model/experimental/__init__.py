# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.saved_model.experimental`."""

from reflow.saved_model.fingerprint import Fingerprint as Fingerprint
from reflow.saved_model.fingerprint import read_fingerprint as read_fingerprint
from reflow.saved_model.options import VariablePolicy as VariablePolicy
from reflow.tracking.resource import TrackableResource as TrackableResource
