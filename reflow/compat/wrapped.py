"""`tf.compat.v1.wrap_function`: a function that builds a TensorFlow 1 graph, traced once, for use in TensorFlow 2.

Its main use is frozen graphs: import one in the function, then extract (`prune`) what leads from some tensors to
others.
"""

from __future__ import annotations

import functools

from reflow.api.export import export
from reflow.compat.sessions.fetches import needed_for
from reflow.compat.variable_scopes import give_own_store
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.name_scope import name_scope
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.eager.variables import variable_creator_scope
from reflow.function.concrete import ConcreteFunction
from reflow.function.tracing import trace_to_graph
from reflow.graph.clone import copy_nodes
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.graph.graph import SymbolicTensor
from reflow.graph.node import Node
from reflow.ops.convert import convert_to_tensor


class VariableHolder:
    """The variables that wrapped functions create, by name: `variables`.

    Args:
      fn: a function whose variables to keep, when the holder is called like it.
      share_variables: whether a name that is known gives the variable that has it. Otherwise each variable is new.
    """

    def __init__(self, fn=None, share_variables=False):
        self._fn, self._share_variables, self.variables = fn, share_variables, {}

    def __call__(self, *args, **kwargs):
        return self.call_with_variable_creator_scope(self._fn)(*args, **kwargs)

    def call_with_variable_creator_scope(self, fn):
        """`fn`, as a function whose variables this object keeps."""

        @functools.wraps(fn)
        def call(*args, **kwargs):
            with variable_creator_scope(self.variable_creator_scope):
                return fn(*args, **kwargs)

        return call

    def variable_creator_scope(self, next_creator, **kwargs):
        """Make a variable, or find it, and add it to collections of the graph."""
        collections = kwargs.pop("collections", None)
        with name_scope(kwargs.get("name") or "Variable") as scope:
            name = scope.rstrip("/")
        variable = self.variables.get(name) if self._share_variables else None
        if variable is None:
            variable = next_creator(**{**kwargs, "name": name.removeprefix(state.graph.current_scope)})
            self.variables[name] = variable
        collections = list(collections or ["variables"])
        if variable.trainable and "trainable_variables" not in collections:
            collections.append("trainable_variables")
        for key in collections:
            state.graph.add_to_collection(key, variable)
        return variable


class WrappedFunction(ConcreteFunction):
    """A traced graph as a function of flat tensors. Of its nodes those run that its results depend on."""

    def __init__(self, graph, variable_holder=None, whole=True):
        super().__init__(graph)
        self._variable_holder, self._whole = variable_holder, whole

    @functools.cached_property
    def _needed(self):
        """The function that runs, without nodes that only have effects and that nothing waits for."""
        results = nest.flatten(self.graph.structured_outputs, expand_composites=True)
        needed = needed_for([r for r in results if r is not None], set())
        late = [node for node in self.graph.nodes if node.record.must_run and node not in needed]
        if not self._whole or not late or any(_makes_resource(node) for node in self.graph.nodes):
            return self  # tables live as long as a call: what fills them has to run in it
        return self._part(self.graph.arguments, self.graph.structured_outputs)

    def __call__(self, *args, **kwargs):
        """Call with tensors in the order of the inputs, or by the inputs' names."""
        wanted = self.graph.arguments
        names = [t.op.name for t in wanted]
        given = dict(zip(names, args, strict=False)) | kwargs
        if len(args) > len(wanted) or given.keys() != set(names):
            raise ValueError(
                f"Expected the arguments {names}, got {len(args)} by position and {sorted(kwargs)} by name."
            )
        return self._needed.call_flat(
            [convert_to_tensor(given[n], t._dtype) for n, t in zip(names, wanted, strict=True)]
        )

    def prune(self, feeds, fetches, name=None, input_signature=None):
        """The part of the graph that computes `fetches` (tensors, operations, names, in any structure) from `feeds`."""
        graph = self.graph
        captured = {inner._id for inner in graph.internal_captures}
        feeds = [graph.as_graph_element(f) for f in nest.flatten(feeds, expand_composites=True)]
        feeds = [f for f in feeds if f._id not in captured]  # they are passed anyway
        found = nest.map_structure(lambda f: graph.as_graph_element(_named(f)), fetches, expand_composites=True)
        return self._part(feeds, found, name)

    def _part(self, feeds, found, name=None) -> WrappedFunction:
        """The part of the graph that computes `found`: tensors, operations and None, in any structure."""
        graph, part = self.graph, FuncGraph(name or "pruned")
        tensors = {t._id: part.add_input(t._dtype, t._dims, t.op.name) for t in feeds}
        flat = nest.flatten(found, expand_composites=True)
        needed = needed_for([f for f in flat if f is not None], set(tensors))
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
        made = [tensors[f._id] if isinstance(f, SymbolicTensor) else None for f in flat]
        composite = any(getattr(f, "_is_composite", False) for f in nest.flatten(found))
        part.set_outputs(nest.pack_sequence_as(found, made, expand_composites=composite))
        part.structured_input_signature = (tuple(TensorSpec(t.shape, t.dtype, t.op.name) for t in feeds), {})
        return WrappedFunction(part, self._variable_holder, whole=False)


def _makes_resource(node: Node) -> bool:
    return node.record is not PLACEHOLDER and not node.inputs and any(t._dtype is dtypes.resource for t in node.outputs)


def _named(fetch):
    """What a TensorInfo proto names; anything else as it is."""
    return fetch.name if hasattr(fetch, "tensor_shape") and not hasattr(fetch, "shape") else fetch


def _is_fed(element, tensors) -> bool:
    return isinstance(element, SymbolicTensor) and element._id in tensors


@export("compat.v1.wrap_function")
def wrap_function(fn, signature, name=None):
    """Trace `fn` on placeholders of a signature (a list of TensorSpecs; other objects are passed as they are) as
    TensorFlow 1 would build it.

    >>> double = wrap_function(lambda x: tf.add(x, x, name="sum"), [tf.TensorSpec([], tf.int32, name="x")])
    >>> int(double(tf.constant(4))), int(double.prune("x:0", "sum:0")(5))
    (8, 10)
    """
    name, holder = name or getattr(fn, "__name__", "wrapped"), VariableHolder(fn)
    return WrappedFunction(_traced(holder, signature, _new_graph(name)), holder)


def _new_graph(name: str) -> FuncGraph:
    """A graph for functions of TensorFlow 1, with variables of its own."""
    graph = FuncGraph(name)
    graph.wraps_version_1 = True
    give_own_store(graph)
    return graph


def _traced(fn, signature, graph) -> FuncGraph:
    specs = tuple(nest.flatten(signature))
    names = [(isinstance(s, TypeSpec) and getattr(s, "name", None)) or "Placeholder" for s in specs]
    return trace_to_graph(fn, graph.name, specs, names=names, graph=graph)


class WrappedGraph:
    """One graph for several functions of TensorFlow 1, which share their variables."""

    def __init__(self, variable_holder=None, **kwargs):
        self._variable_holder = variable_holder or VariableHolder(share_variables=True)
        self.graph, self.functions = _new_graph(kwargs.pop("name", None) or "wrapped_function_graph"), {}

    @property
    def variables(self):
        """All variables, by name."""
        return self._variable_holder.variables

    def wrap_function(self, fn, signature, name=None):
        """Add a function to the graph. What it returns may be tensors or operations."""
        seen: dict = {}

        def build(*args):
            seen["arguments"] = args
            seen["results"] = self._variable_holder.call_with_variable_creator_scope(fn)(*args)

        _traced(build, signature, self.graph)
        feeds = [t for t in nest.flatten(seen["arguments"], expand_composites=True) if isinstance(t, SymbolicTensor)]
        with self.graph.as_default():
            results = nest.map_structure(_as_result, seen["results"])
        name = name or fn.__name__
        self.functions[name] = WrappedFunction(self.graph, self._variable_holder).prune(feeds, results, name)
        return self.functions[name]


def _as_result(value):
    """What a function returns: an operation, None, or what is a tensor."""
    return (
        value if value is None or isinstance(value, Node) or getattr(value, "_is_composite", False)
        else convert_to_tensor(value)
    )
