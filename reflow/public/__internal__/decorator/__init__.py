# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.decorator`."""

from reflow.api.framework.internal import make_decorator as make_decorator
from reflow.api.framework.internal import unwrap as unwrap
