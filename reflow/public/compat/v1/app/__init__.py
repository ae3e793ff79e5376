# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.app`."""

from reflow.compat.program import flags as flags
from reflow.compat.program import run as run
