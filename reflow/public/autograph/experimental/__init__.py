# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.autograph.experimental`."""

from reflow.api.autograph.status import Feature as Feature
from reflow.api.autograph.status import do_not_convert as do_not_convert
from reflow.api.autograph.status import set_loop_options as set_loop_options
