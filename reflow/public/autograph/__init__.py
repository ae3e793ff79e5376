# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.autograph`: Python code as graph code, by hand."""

from reflow.api.framework.autograph import set_verbosity as set_verbosity
from reflow.api.framework.autograph import to_code as to_code
from reflow.api.framework.autograph import to_graph as to_graph
from reflow.api.framework.autograph import trace as trace
from reflow.public.autograph import experimental as experimental

__all__ = [
    "experimental", "set_verbosity", "to_code", "to_graph", "trace",
]
