"""`tensorflow.python.framework.subscribe`: functions that see a tensor of a graph whenever it is computed."""

import re

from reflow.api.array.arrange import identity
from reflow.core import nest
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.sparse import SparseTensor
from reflow.graph.symbolic import SymbolicTensor

_SUBSCRIBED = re.compile(r"(.*?)/subscription/Identity[^/]*$")


def subscribe(tensors, side_effects):
    """Call functions on tensors, and let whoever uses these wait for what the functions made. Returns what stands for
    the tensors now.

    The graph must not have run yet: nodes that use a tensor get another input.
    """
    if not side_effects:
        return tensors
    functions = [side_effects] if callable(side_effects) else list(side_effects)
    known = (SymbolicTensor, SparseTensor, IndexedSlices, list, tuple, dict)
    if not isinstance(tensors, known):
        raise TypeError(f"subscribe argument {tensors!r} has invalid type {type(tensors).__name__}; Cannot be None")
    return nest.map_structure(lambda t: _subscribe(t, functions), tensors, expand_composites=True)


def _subscribe(tensor, functions):
    if not isinstance(tensor, SymbolicTensor):
        raise TypeError(f"subscribe argument {tensor!r} has invalid type {type(tensor).__name__}")
    standing = _standing_for(tensor)
    if standing is None:
        return _stand_for(tensor, functions)
    standing.op._add_control_inputs(_seen(standing.op.inputs[0], functions))
    return standing


def _standing_for(tensor):
    """The `Identity` node of an earlier subscription, if there is one."""
    if _SUBSCRIBED.match(tensor.op.name):
        return tensor
    scope = f"{tensor.op.name}/subscription/"
    uses = (n for n in tensor.consumers() if n.name.startswith(scope) and _SUBSCRIBED.match(n.name))
    return next((n.outputs[0] for n in uses), None)


def _seen(tensor, functions) -> list:
    """The nodes that the functions made of a tensor."""
    with tensor.graph.as_default(), tensor.graph.name_scope(f"{tensor.op.name}/subscription/"):
        made = [x for function in functions for x in nest.flatten(function(tensor), expand_composites=True)]
    return [getattr(x, "op", x) for x in made if x is not None]


def _stand_for(tensor, functions):
    graph = tensor.graph
    users = [(node, i) for node in graph.get_operations() for i, t in enumerate(node.inputs) if t is tensor]
    waiting = [node for node in graph.get_operations() if tensor.op in node.control_inputs]
    seen = _seen(tensor, functions)
    with graph.as_default(), graph.control_dependencies(seen), graph.name_scope(f"{tensor.op.name}/subscription/"):
        standing = identity(tensor)
    for node, i in users:
        node._update_input(i, standing)
    for node in waiting:
        others = [n for n in node.control_inputs if n is not tensor.op]
        node._remove_all_control_inputs()
        node._add_control_inputs([*others, standing.op])
    return standing
