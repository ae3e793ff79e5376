"""`tf.compat.v1.wrap_function`: a function that builds a TensorFlow 1 graph, traced once, to be called from TensorFlow 2.

Its main use are frozen graphs: import one in the function, then cut out (`prune`) what leads from some tensors to others.
"""

from __future__ import annotations

from reflow.api.export import export
from reflow.compat.sessions.fetches import needed_for
from reflow.compat.variable_scopes import give_own_store
from reflow.core import nest
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.function.concrete import ConcreteFunction
from reflow.function.tracing import trace_to_graph
from reflow.graph.clone import copy_nodes
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import SymbolicTensor
from reflow.graph.node import Node
from reflow.ops.convert import convert_to_tensor


class WrappedFunction(ConcreteFunction):
    """A traced graph as a function of flat tensors."""

    def __call__(self, *args, **kwargs):
        """Call with tensors in the order of the inputs, or by the inputs' names."""
        wanted = self.graph.arguments
        names = [t.op.name for t in wanted]
        given = dict(zip(names, args, strict=False)) | kwargs
        if len(args) > len(wanted) or given.keys() != set(names):
            raise ValueError(
                f"Expected the arguments {names}, got {len(args)} by position and {sorted(kwargs)} by name."
            )
        return self.call_flat([convert_to_tensor(given[n], t._dtype) for n, t in zip(names, wanted, strict=True)])

    def prune(self, feeds, fetches, name=None, input_signature=None):
        """The part of the graph that computes `fetches` (tensors, operations, names of such, in any structure) from `feeds`."""
        graph = self.graph
        captured = {inner._id for inner in graph.internal_captures}
        feeds = [graph.as_graph_element(f) for f in nest.flatten(feeds, expand_composites=True)]
        feeds = [f for f in feeds if f._id not in captured]  # they are passed anyway
        found = nest.map_structure(lambda f: graph.as_graph_element(_named(f)), fetches, expand_composites=True)
        part = FuncGraph(name or "pruned")
        tensors = {t._id: part.add_input(t._dtype, t._dims, t.op.name) for t in feeds}
        flat = nest.flatten(found, expand_composites=True)
        needed = needed_for(flat, set(tensors))
        for key, (outer, inner) in graph.captured.items():
            if inner.op in needed:
                tensors[inner._id] = part.add_capture(outer)
                part.variables_used.update({k: v for k, v in graph.variables_used.items() if k == key})
        twins: dict[Node, Node] = {}
        for node in graph.nodes:
            if node not in needed or node.outputs and _is_fed(node.outputs[0], tensors):
                continue
            fed = {t._id: tensors[t._id] for t in node.outputs if t._id in tensors}
            copy_nodes([node], part, tensors, twins)
            part.nodes[-1]._label = ("", node.name)
            tensors.update(fed)
        made = [None if isinstance(f, Node) else tensors[f._id] for f in flat]
        composite = any(getattr(f, "_is_composite", False) for f in nest.flatten(found))
        part.set_outputs(nest.pack_sequence_as(found, made, expand_composites=composite))
        part.structured_input_signature = (tuple(TensorSpec(t.shape, t.dtype, t.op.name) for t in feeds), {})
        return WrappedFunction(part)


def _named(fetch):
    """What a TensorInfo proto names; anything else as it is."""
    return fetch.name if hasattr(fetch, "tensor_shape") and not hasattr(fetch, "shape") else fetch


def _is_fed(element, tensors) -> bool:
    return isinstance(element, SymbolicTensor) and element._id in tensors


@export("compat.v1.wrap_function")
def wrap_function(fn, signature, name=None):
    """Trace `fn` on placeholders of a signature (a list of TensorSpecs; other objects are passed as they are) as TensorFlow 1 would build it.

    >>> double = wrap_function(lambda x: tf.add(x, x, name="sum"), [tf.TensorSpec([], tf.int32, name="x")])
    >>> int(double(tf.constant(4))), int(double.prune("x:0", "sum:0")(5))
    (8, 10)
    """
    specs = tuple(nest.flatten(signature))
    names = [(isinstance(s, TypeSpec) and getattr(s, "name", None)) or "Placeholder" for s in specs]
    name = name or getattr(fn, "__name__", "wrapped")
    graph = FuncGraph(name)
    graph.wraps_version_1 = True
    give_own_store(graph)
    return WrappedFunction(trace_to_graph(fn, name, specs, names=names, graph=graph))
