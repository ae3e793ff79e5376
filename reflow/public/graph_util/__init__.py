# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.graph_util`: tools for GraphDefs."""

from reflow.api.framework.graph_names import import_graph_def as import_graph_def
