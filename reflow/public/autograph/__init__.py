# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.autograph`: Python code as graph code, by hand."""

from reflow.api.autograph.public import set_verbosity as set_verbosity
from reflow.api.autograph.public import to_code as to_code
from reflow.api.autograph.public import to_graph as to_graph
from reflow.api.autograph.public import trace as trace
from reflow.public.autograph import experimental as experimental
