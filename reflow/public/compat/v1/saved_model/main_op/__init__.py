# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.main_op`."""

from reflow.compat.saved_model.builder import main_op as main_op
from reflow.compat.saved_model.builder import main_op_with_restore as main_op_with_restore
