# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.saved_model.load`."""

from reflow.saved_model.revived import VersionedTypeRegistration as VersionedTypeRegistration
from reflow.saved_model.revived import get_setter as get_setter
from reflow.saved_model.revived import register_revived_type as register_revived_type
from reflow.saved_model.revived import registered_identifiers as registered_identifiers
