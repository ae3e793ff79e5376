# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.xla.experimental`."""

from reflow.api.control.xla_scopes import compile as compile
from reflow.api.control.xla_scopes import jit_scope as jit_scope
