# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.monitoring`."""

from reflow.api.framework.internal import BoolGauge as BoolGauge
