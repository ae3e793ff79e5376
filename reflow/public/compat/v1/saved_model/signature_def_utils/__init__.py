# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.signature_def_utils`."""

from reflow.compat.saved_model.signature_defs import MethodNameUpdater as MethodNameUpdater
from reflow.compat.saved_model.signature_defs import build_signature_def as build_signature_def
from reflow.compat.saved_model.signature_defs import classification_signature_def as classification_signature_def
from reflow.compat.saved_model.signature_defs import is_valid_signature as is_valid_signature
from reflow.compat.saved_model.signature_defs import predict_signature_def as predict_signature_def
from reflow.compat.saved_model.signature_defs import regression_signature_def as regression_signature_def
