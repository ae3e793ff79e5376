# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.composite_tensor`."""

from reflow.api.framework.internal import convert_variables_to_tensors as convert_variables_to_tensors
