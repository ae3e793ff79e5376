# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.graph_util`."""

from reflow.api.framework.graph_names import import_graph_def as import_graph_def
from reflow.api.framework.hosted_nodes import must_run_on_cpu as must_run_on_cpu
from reflow.compat.freeze import convert_variables_to_constants as convert_variables_to_constants
from reflow.compat.freeze import extract_sub_graph as extract_sub_graph
from reflow.compat.freeze import remove_training_nodes as remove_training_nodes
from reflow.compat.freeze import tensor_shape_from_node_def_name as tensor_shape_from_node_def_name
