# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.autograph`."""

from reflow.api.autograph.public import set_verbosity as set_verbosity
from reflow.api.autograph.public import to_code_v1 as to_code
from reflow.api.autograph.public import to_graph_v1 as to_graph
from reflow.api.autograph.public import trace as trace
from reflow.public.compat.v1.autograph import experimental as experimental

__all__ = [
    "experimental", "set_verbosity", "to_code", "to_graph", "trace",
]
