# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.utils`."""

from reflow.compat.saved_model.signature_defs import build_tensor_info as build_tensor_info
from reflow.compat.saved_model.signature_defs import get_tensor_from_tensor_info as get_tensor_from_tensor_info
