# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.app`."""

from reflow.compat.program.app import flags as flags
from reflow.compat.program.app import run as run
