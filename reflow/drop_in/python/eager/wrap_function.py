"""`tensorflow.python.eager.wrap_function`: graphs of TensorFlow 1 as functions."""

from reflow.api.framework.graph_names import import_graph_def
from reflow.compat.wrapped import VariableHolder as VariableHolder
from reflow.compat.wrapped import WrappedFunction as WrappedFunction
from reflow.compat.wrapped import WrappedGraph as WrappedGraph
from reflow.compat.wrapped import wrap_function as wrap_function
from reflow.core import nest


def function_from_graph_def(graph_def, inputs, outputs, captures=None):
    """The part of a GraphDef that computes some tensors from others, as a function.

    Both are named, in any structure.
    """
    if captures:
        raise NotImplementedError("Reflow's function_from_graph_def takes no captures: pass them as inputs.")
    whole = wrap_function(lambda: import_graph_def(graph_def, name=""), [])
    element = whole.graph.as_graph_element
    return whole.prune(nest.map_structure(element, inputs), nest.map_structure(element, outputs))
