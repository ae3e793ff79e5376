# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.profiler.experimental.client`."""

from reflow.summary.profiler_service import monitor as monitor
from reflow.summary.profiler_service import trace as trace
