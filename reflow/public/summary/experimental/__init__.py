# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.summary.experimental`."""

from reflow.summary.writer import get_step as get_step
from reflow.summary.writer import set_step as set_step
from reflow.summary.writer import summary_scope as summary_scope
from reflow.summary.writer import write_raw_pb as write_raw_pb
