# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.profiler.experimental.server`."""

from reflow.summary.profiler_service import start as start
