# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.mixed_precision`."""

from reflow.api.framework.keras_hooks import register_loss_scale_wrapper as register_loss_scale_wrapper
