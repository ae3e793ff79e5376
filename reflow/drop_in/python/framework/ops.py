"""`tensorflow.python.framework.ops`: scopes of names and colocation, and other small things around graphs."""

import contextlib
import inspect
import re

from reflow.compat import behavior, meta_graph, name_scopes
from reflow.compat.behavior import get_default_graph
from reflow.core.context import new_id, state
from reflow.core.name_scope import name_scope as name_scope_v2  # noqa: F401 - its name here
from reflow.drop_in.python.framework.registry import Registry
from reflow.ops import convert, reverse
from reflow.tracking.resource import resource_creator_scope  # noqa: F401 - its name here

NullContextmanager = contextlib.nullcontext


def colocate_with(op, ignore_existing=False):
    """Put ops inside a `with` block on the device of another."""
    return behavior.colocate_with(op, ignore_existing)


def _colocate_with_for_gradient(op, gradient_uid, ignore_existing=False):
    """The same for the op of a gradient."""
    return behavior.colocate_with(op, ignore_existing)


def name_scope(name, default_name=None, values=None, skip_on_eager=True):
    """A scope for the names of nodes. Eagerly there are none, so unless `skip_on_eager` is false it does nothing."""
    if state.graph is None and skip_on_eager:
        return contextlib.nullcontext()
    return name_scopes.name_scope(name, default_name, values)


def name_from_scope_name(name):
    """The name of the op that a scope was opened for: without the `/` at its end."""
    return name[:-1] if name and name.endswith("/") else name


def _NodeDef(op_type, name, attrs=None):
    """A NodeDef proto; `attrs` are AttrValue protos."""
    from tensorboard.compat.proto.node_def_pb2 import NodeDef

    node = NodeDef(op=op_type, name=name)
    for key, value in (attrs or {}).items():
        node.attr[key].CopyFrom(value)
    return node


def get_collection_proto_type(collection_name):
    """The class of the protos that a collection is written as; None if it holds names or numbers."""
    return meta_graph.proto_types().get(collection_name, (None, None))[0]


def get_from_proto_function(collection_name):
    """The function that makes an element of a collection from such a proto, or None."""
    return meta_graph.proto_types().get(collection_name, (None, None))[1]


def get_gradient_function(op):
    """The function that was registered for the gradients of an op, by `RegisterGradient` or an override; LookupError if there is none."""
    if not op.inputs:
        return None
    name = op.attrs.get("_gradient_op_type", op.type)
    found = reverse.GRADIENTS.get(name)
    if found is None:
        raise LookupError(f"gradient registry has no entry for: {name}")
    return inspect.unwrap(found)


def has_default_graph() -> bool:
    """Whether a graph is under construction."""
    return state.graph is not None


def strip_name_scope(name, export_scope):
    """A name without the scope `export_scope` in front of it; `^` of a control input and `loc:@` stay."""
    if not export_scope:
        return name
    return re.sub(rf"^(\^|loc:@|){re.escape(export_scope.rstrip('/'))}/+", r"\1", name)


def prepend_name_scope(name, import_scope):
    """A name with a scope in front of it; `^` of a control input and `loc:@` stay first."""
    if not import_scope:
        return name
    for lead in ("^", "loc:@"):
        if name.startswith(lead):
            return f"{lead}{import_scope.rstrip('/')}/{name.removeprefix(lead)}"
    return f"{import_scope.rstrip('/')}/{name}"


def dismantle_graph(graph) -> None:
    """Take a graph's nodes apart so that its memory is free at once. Reflow's graphs are freed with their last reference."""


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None):
    """A tensor of a value. `preferred_dtype`, the old name of `dtype_hint`, is taken if the value allows it."""
    return convert.convert_to_tensor(value, dtype, dtype_hint if preferred_dtype is None else preferred_dtype, name)


def convert_to_tensor_or_composite(value, dtype=None, name=None):
    """A composite tensor as it is, anything else as a tensor."""
    return value if getattr(value, "_is_composite", False) else convert_to_tensor(value, dtype, name=name)


def add_exit_callback_to_default_func_graph(fn) -> None:
    """Call a function when the body of the function that is being traced has run; what it raises ends the trace."""
    graph = state.graph
    if graph is None or not graph.building_function:
        raise RuntimeError(f"Cannot add scope exit callbacks when not building a function.  Default graph: {graph}")
    graph.exit_callbacks.append(fn)


class OpStats:
    """A number about nodes, of one kind ("flops"), which may not be known; `+=` adds those of other nodes."""

    def __init__(self, statistic_type, value=None):
        self.statistic_type, self.value = statistic_type, value

    def __iadd__(self, other):
        if other.statistic_type != self.statistic_type:
            raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
        if other.value is not None:
            self.value = other.value + (self.value or 0)
        return self


_stats_registry = Registry("statistical functions")


class RegisterStatistics:
    """Decorates a function of a graph and a NodeDef that gives the statistics of one kind for nodes of one op."""

    def __init__(self, op_type, statistic_type):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string.")
        if "," in op_type:
            raise TypeError("op_type must not contain a comma.")
        if not isinstance(statistic_type, str):
            raise TypeError("statistic_type must be a string.")
        if "," in statistic_type:
            raise TypeError("statistic_type must not contain a comma.")
        self._key = f"{op_type},{statistic_type}"

    def __call__(self, f):
        _stats_registry.register(f, self._key)
        return f


def get_stats_for_node_def(graph, node, statistic_type):
    """The statistics of a node; without a number if nobody has registered a function for its op."""
    try:
        function = _stats_registry.lookup(f"{node.op},{statistic_type}")
    except LookupError:
        return OpStats(statistic_type)
    return function(graph, node)


def get_all_collection_keys():
    """The names of the collections of the default graph."""
    return get_default_graph().get_all_collection_keys()


def raise_from_not_ok_status(e, name):
    """Raise an error with the name of the op that was running."""
    raise type(e)(e.node_def, e.op, f"{e.message} name: {name or ''}") from None


def uid():
    """A number that nothing else in this process has."""
    return new_id()


def numpy_text(tensor, is_repr=False):
    """The value of a tensor as text."""
    return tensor._text(repr if is_repr else str)


def enable_eager_execution_internal(config=None, device_policy=None, execution_mode=None, server_def=None) -> None:
    """Let ops run eagerly, as `tf.compat.v1.enable_eager_execution` does."""
    behavior.enable_eager_execution(config, device_policy, execution_mode)
