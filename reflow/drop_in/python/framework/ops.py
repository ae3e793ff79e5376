"""`tensorflow.python.framework.ops`: scopes of names and colocation, and other small things around graphs."""

import collections.abc
import contextlib
import enum
import inspect
import re

from reflow.api.numpy.behavior import experimental_enable_numpy_behavior as numpy_behavior
from reflow.api.numpy.types import settings
from reflow.compat import behavior, meta_graph, name_scopes
from reflow.compat.behavior import get_default_graph
from reflow.core.context import new_id, state
from reflow.core.dtypes import as_dtype
from reflow.core.name_scope import name_scope as name_scope_v2  # noqa: F401 - its name here
from reflow.core.tensor import Tensor
from reflow.drop_in.python.framework.registry import Registry
from reflow.eager.variables import Variable
from reflow.graph.graph import Graph, SymbolicTensor
from reflow.graph.node import Node
from reflow.ops import convert, reverse
from reflow.tracking.resource import resource_creator_scope  # noqa: F401 - its name here

NullContextmanager = contextlib.nullcontext


def colocate_with(op, ignore_existing=False):
    """Put ops inside a `with` block on the device of another."""
    return behavior.colocate_with(op, ignore_existing)


def _colocate_with_for_gradient(op, gradient_uid, ignore_existing=False):
    """Put the op of a gradient on the device of another op, for a `with` block."""
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
    """The function that was registered for the gradients of an op, by `RegisterGradient` or an override.

    LookupError if there is none.
    """
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
    """Take a graph's nodes apart so that its memory is free at once.

    Reflow's graphs are freed with their last reference.
    """


def convert_to_tensor(value, dtype=None, name=None, as_ref=False, preferred_dtype=None, dtype_hint=None):
    """A tensor of a value. `preferred_dtype`, the old name of `dtype_hint`, is taken if the value allows it; `as_ref`
    gives the handle of a variable in place of its value."""
    if as_ref and isinstance(value, Variable):
        return value.handle
    return convert.convert_to_tensor(value, dtype, dtype_hint if preferred_dtype is None else preferred_dtype, name)


internal_convert_to_tensor = convert_to_tensor


def convert_to_tensor_or_composite(value, dtype=None, name=None):
    """A composite tensor as it is, anything else as a tensor."""
    return internal_convert_to_tensor_or_composite(value, dtype, name)


def internal_convert_to_tensor_or_composite(value, dtype=None, name=None, as_ref=False):
    """The same, with the handle of a variable if `as_ref` asks for it.

    Raises:
        ValueError: a composite tensor has another dtype.
    """
    if not getattr(value, "_is_composite", False):
        return convert_to_tensor(value, dtype, name, as_ref)
    if dtype is not None and not as_dtype(dtype).is_compatible_with(getattr(value, "dtype", dtype)):
        raise ValueError(
            f"Tensor conversion dtype mismatch. Requested dtype is {as_dtype(dtype).name}, Tensor has dtype "
            f"{value.dtype.name}: {value!r}"
        )
    return value


def numbered(name, i):
    """The name of the i-th of several things with one name."""
    return None if name is None else f"{name}_{i}"


def internal_convert_n_to_tensor(values, dtype=None, name=None, as_ref=False, preferred_dtype=None):
    """Each of a sequence as a tensor."""
    if not isinstance(values, collections.abc.Sequence):
        raise TypeError("values must be a sequence.")
    return [
        convert_to_tensor(value, dtype, numbered(name, i), as_ref, preferred_dtype) for i, value in enumerate(values)
    ]


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
    """Each of a sequence as a tensor."""
    return internal_convert_n_to_tensor(values, dtype, name, preferred_dtype=preferred_dtype)


def internal_convert_n_to_tensor_or_composite(values, dtype=None, name=None, as_ref=False):
    """Each of a sequence as a tensor; None and composite tensors as they are."""
    if not isinstance(values, collections.abc.Sequence):
        raise TypeError("values must be a sequence.")
    return [
        None if value is None else internal_convert_to_tensor_or_composite(value, dtype, numbered(name, i), as_ref)
        for i, value in enumerate(values)
    ]


def convert_n_to_tensor_or_composite(values, dtype=None, name=None):
    """Each of a sequence as a tensor, variables by value; None and composite tensors as they are."""
    return internal_convert_n_to_tensor_or_composite(values, dtype, name)


def is_dense_tensor_like(t) -> bool:
    """Whether something is a tensor or a variable: neither composite nor a Python value."""
    return isinstance(t, (Tensor, Variable))


def tensor_id(tensor) -> int:
    """A number that no other tensor of this process has."""
    return tensor._id


def value_text(tensor, is_repr=False) -> str:
    """The value of a tensor as text, in `repr` with the word that says what it is."""
    return f"numpy={numpy_text(tensor, True)}" if is_repr else numpy_text(tensor)


class PromoMode(enum.Enum):
    """By which rules dtypes of operands are made equal."""

    OFF = 0
    LEGACY = 1
    SAFE = 2
    ALL = 3


def get_dtype_conversion_mode() -> PromoMode:
    """The mode that `tf.experimental.numpy.experimental_enable_numpy_behavior` chose."""
    return PromoMode[settings.mode.upper()]


def set_dtype_conversion_mode(dtype_conversion_mode) -> None:
    """Choose the mode by its name."""
    numpy_behavior(dtype_conversion_mode=dtype_conversion_mode)


def promo_mode_enum_to_string(promo_safety_mode_enum) -> str:
    """The name of a mode."""
    if not isinstance(promo_safety_mode_enum, PromoMode):
        raise ValueError(f"The provided promotion mode {promo_safety_mode_enum} does not exist.")
    return promo_safety_mode_enum.name.lower()


def is_auto_dtype_conversion_enabled() -> bool:
    """Whether operands meet by the lattice of dtypes."""
    return settings.lattice


def is_numpy_style_type_promotion() -> bool:
    """Whether operands meet by NumPy's rules."""
    return settings.mode == "legacy"


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


def _get_graph_from_inputs(op_input_list, graph=None):
    """The graph of some tensors and operations, by default the default graph; they must all be in it."""
    if get_default_graph().building_function:
        return get_default_graph()
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    first = None
    for given in op_input_list:
        element = getattr(given, "handle", given)  # a variable's
        found = getattr(element, "graph", None) if isinstance(element, (SymbolicTensor, Node)) else None
        if found is None:
            continue
        if graph is None:
            first, graph = element, found
        elif found is not graph:
            expected = "is not from the passed-in graph" if first is None else f"must be from the same graph as {first}"
            raise ValueError(f"{element} {expected}.")
    return get_default_graph() if graph is None else graph


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
