# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.loader`."""

from reflow.compat.saved_model.loader import load as load
from reflow.compat.saved_model.loader import maybe_saved_model_directory as maybe_saved_model_directory
