# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.random`."""

from reflow.api.random.truncated import parameterized_truncated_normal as parameterized_truncated_normal
