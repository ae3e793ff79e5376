# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.autograph`."""

from reflow.api.autograph.status import control_status_ctx as control_status_ctx
from reflow.api.autograph.status import tf_convert as tf_convert
