# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.deprecation`."""

from reflow.api.framework.decorators import deprecated as deprecated
from reflow.api.framework.decorators import deprecated_args as deprecated_args
from reflow.api.framework.decorators import deprecated_endpoints as deprecated_endpoints
from reflow.api.framework.decorators import silence as silence
