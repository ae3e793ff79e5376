"""The graph: TensorFlow's GraphDef in memory.

A `Node` (public name `tf.Operation`) is a record from the registry with symbolic inputs, attributes and symbolic
outputs. Nodes stand in
program order, which is also the order of their effects. Nodes get their names when somebody asks for one: tracing makes
thousands that nobody looks at. A `Graph` is never changed by a compiler pass; passes work on plans made from it.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import sys

from reflow.core import dtypes
from reflow.core.context import new_id, state
from reflow.core.errors import InaccessibleTensorError, OperatorNotAllowedInGraphError
from reflow.core.shapes import TensorShape, dims_of, merge
from reflow.core.tensor import EagerTensor, Tensor
from reflow.graph import inference
from reflow.ops import door, random_state


class SymbolicTensor(Tensor):
    """An output of a graph node: it has a dtype, a partial shape, perhaps a partial value, and no number."""

    __slots__ = ("op", "value_index", "_graph", "_dtype", "_dims", "_static", "_id", "__dict__", "__weakref__")
    _is_symbolic = True
    is_tensor_like = True

    def __init__(self, node, index, graph, dtype, dims, static):
        self.op = node
        self.value_index = index
        self._graph = graph
        self._dtype = dtype
        self._dims = dims
        self._static = static
        self._id = new_id()

    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: TensorShape._of(self._dims))
    graph = property(lambda self: self._graph)
    name = property(lambda self: f"{self.op.name}:{self.value_index}")
    device = property(lambda self: self.op.device)

    @property
    def _value(self):
        raise InaccessibleTensorError(
            f"{self!r} is out of scope and cannot be used here. It belongs to {self._graph}: a symbolic tensor lives only while its "
            "function is traced. Use return values, explicit Python locals or TensorFlow collections to access it."
        )

    _host = _numpy = lambda self: self._value

    @property
    def numpy(self):
        raise AttributeError(  # so that hasattr(x, "numpy") tells symbolic tensors from eager ones
            f"'SymbolicTensor' object has no attribute 'numpy': {self!r} has no value while the function is traced."
        )

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're trying to pass a "
            "Tensor to a NumPy call, which is not supported."
        )

    def _not_allowed(self, what):
        raise OperatorNotAllowedInGraphError(
            f"{what} is not allowed. You can attempt the following resolutions to the problem: If you are running in Graph mode, use "
            "Eager execution mode or decorate this function with @tf.function. If you are using AutoGraph, you can try decorating "
            "this function with @tf.function. If that does not work, then you may be using an unsupported feature or your source "
            "code may not be visible to AutoGraph."
        )

    def __bool__(self):
        self._not_allowed("Using a symbolic `tf.Tensor` as a Python `bool`")

    def __len__(self):
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` for "
            "shape information."
        )

    def __iter__(self):
        if state.graph is None or self._dims is None or not self._dims or self._dims[0] is None:
            self._not_allowed("Iterating over a symbolic `tf.Tensor`")
        return (self[i] for i in range(self._dims[0]))

    def __index__(self):
        if isinstance(self._static, int):
            return self._static
        raise TypeError(f"{self!r} has no value while the function is traced and cannot be used as an index.")

    __int__ = __index__

    def __float__(self):
        raise TypeError(f"{self!r} has no value while the function is traced and cannot become a float.")

    def set_shape(self, shape):
        """Narrow the static shape."""
        self._dims = merge(self._dims, dims_of(shape))

    def consumers(self):
        """The operations that use this tensor."""
        return [n for n in self._graph.nodes if any(t is self for t in n.inputs)]

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self._dtype.name}>"

    def __str__(self):
        shape = "" if self._dims is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    def __format__(self, spec):
        return str(self)


class Node:
    """`tf.Operation`: one node of a graph."""

    __slots__ = (
        "record",
        "inputs",
        "attrs",
        "outputs",
        "control_inputs",
        "graph",
        "device",
        "_name",
        "_label",
        "source",
        "__weakref__",
    )

    def __init__(self, record, inputs, attrs, graph, label):
        self.record, self.inputs, self.attrs, self.graph = record, inputs, attrs, graph
        self.device = state.device
        self.control_inputs = graph.control_stack
        self._label, self._name = label, None
        self.source = None
        self.outputs: list[SymbolicTensor] = []

    type = property(lambda self: self.record.name)
    op_def = property(lambda self: self.record.definition)
    control_outputs = property(lambda self: [n for n in self.graph.nodes if self in n.control_inputs])

    @property
    def name(self) -> str:
        if self._name is None:
            self.graph.name_nodes()
        return self._name

    def get_attr(self, name: str):
        """The value of one attribute, with the OpDef's defaults."""
        full = inference.full_attrs(self)
        if name not in full:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return full[name]

    @property
    def node_def(self):
        from reflow.graph.export import node_to_proto

        return node_to_proto(self)

    def values(self):
        return tuple(self.outputs)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep


def _user_frame():
    """The innermost frame outside Reflow, as (code, line): where the user called the op. About 1 µs."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lineno)


def describe_source(node) -> str:
    """Where a node was made, as a line of a traceback; empty if that is not known."""
    if node.source is None:
        return ""
    code, line = node.source
    text = linecache.getline(code.co_filename, line).strip()
    where = f'  File "{code.co_filename}", line {line}, in {code.co_name}\n'
    return where + (f"    {text}\n" if text else "")


class Graph:
    """A dataflow graph under construction.

    >>> g = Graph()
    >>> with g.as_default():
    ...     pass
    >>> g.get_operations()
    []
    """

    building_function = False

    def __init__(self, name: str = "graph"):
        self.name = name
        self.outer_graph = None
        self.nodes: list[Node] = []
        self.control_stack: tuple = ()
        self.current_scope = ""
        self.variables_used: dict = {}
        self.seed: int | None = None
        self.collections: dict = {}
        self.version_id = new_id()
        self._names: dict[str, int] = {}
        self._named = 0
        self._seed_calls = 0
        self._label: str | None = None

    # --- building

    def add(self, op, inputs, attrs):
        """Add a node; returns its output tensor, or the list of them."""
        ins = tuple([t if type(t) is SymbolicTensor and t._graph is self else self.capture(t) for t in inputs])
        if op.hidden_counter:
            attrs = {**attrs, "_counter": random_state.node_cell(attrs)}
        node = Node(op, ins, attrs, self, (self.current_scope, self._label or op.name))
        kinds, dims, statics = inference.infer(op, ins, attrs, node)
        outputs = node.outputs = [
            SymbolicTensor(node, i, self, k, d, s) for i, (k, d, s) in enumerate(zip(kinds, dims, statics, strict=True))
        ]
        node.source = _user_frame()
        self.nodes.append(node)
        if state.tapes:
            for tape in state.tapes:
                tape.record(op, inputs, tuple(outputs), attrs)
        return outputs[0] if op.single else outputs

    def capture(self, tensor):
        """A tensor from outside, as a tensor of this graph."""
        if isinstance(tensor, EagerTensor):
            from reflow.ops import registry

            return self.add(registry.get("Const"), (), {"value": tensor._host(), "dtype": tensor._dtype})
        raise InaccessibleTensorError(f"{tensor!r} is not an element of this graph.")

    def watch_variable(self, variable):
        """Remember that a variable is used here."""
        self.variables_used.setdefault(variable.handle._id, variable)

    def next_seed(self) -> int:
        """How many op seeds this graph has given out: the op seed of TensorFlow's graph mode."""
        self._seed_calls += 1
        return self._seed_calls - 1

    # --- names

    def name_nodes(self):
        """Give a unique name to every node that has none yet, in program order."""
        for node in self.nodes[self._named :]:
            scope, label = node._label
            node._name = self.unique_name(scope + re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", label))
        self._named = len(self.nodes)

    def unique_name(self, name: str) -> str:
        key = name.lower()
        count = self._names.get(key, 0)
        self._names[key] = count + 1
        if not count:
            return name
        candidate = f"{name}_{count}"
        while candidate.lower() in self._names:
            count += 1
            candidate = f"{name}_{count}"
        self._names[key] = count + 1
        self._names[candidate.lower()] = 1
        return candidate

    @contextlib.contextmanager
    def name_scope_for(self, label: str):
        """Nodes added inside are called `label`."""
        old, self._label = self._label, label
        try:
            yield
        finally:
            self._label = old

    @contextlib.contextmanager
    def scope(self, name: str):
        """A `tf.name_scope` in this graph; yields the full scope, ending in `/`."""
        old = self.current_scope
        if name.endswith("/"):
            new = name
        else:
            new = self.unique_name(old + name) + "/" if name else ""
        self.current_scope = new
        try:
            yield new
        finally:
            self.current_scope = old

    name_scope = scope

    # --- scopes

    @contextlib.contextmanager
    def as_default(self):
        """Make this the graph that ops are added to."""
        old_graph, old_tapes = state.graph, state.tapes
        state.graph, state.tapes = self, ()
        try:
            yield self
        finally:
            state.graph, state.tapes = old_graph, old_tapes

    @contextlib.contextmanager
    def control_dependencies(self, inputs):
        """Nodes added inside run after the given tensors or operations."""
        old = self.control_stack
        if inputs is None:
            self.control_stack = ()
        else:
            nodes = [x if isinstance(x, Node) else getattr(x, "op", None) for x in inputs]
            self.control_stack = (*old, *(n for n in nodes if isinstance(n, Node) and n.graph is self))
        try:
            yield
        finally:
            self.control_stack = old

    # --- looking

    def get_operations(self) -> list:
        """All nodes, in program order."""
        return list(self.nodes)

    def get_operation_by_name(self, name: str) -> Node:
        self.name_nodes()
        for node in self.nodes:
            if node._name == name:
                return node
        raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        node, _, index = name.partition(":")
        return self.get_operation_by_name(node).outputs[int(index or 0)]

    def get_collection(self, name, scope=None) -> list:
        return list(self.collections.get(name, ()))

    def add_to_collection(self, name, value):
        self.collections.setdefault(name, []).append(value)

    def as_graph_def(self, **options):
        """This graph as TensorFlow's GraphDef proto."""
        from reflow.graph.export import graph_to_proto

        return graph_to_proto(self)

    @property
    def version(self) -> int:
        return len(self.nodes)

    def __str__(self):
        """One line per node: name, type, inputs, and the static shape and dtype of each output."""
        lines = []
        for node in self.nodes:
            ins = ", ".join(t.name for t in node.inputs)
            outs = ", ".join(f"{t._dtype.name}{inference.text(t._dims)}" for t in node.outputs)
            lines.append(f"{node.name} = {node.type}({ins}) -> {outs or 'nothing'}")
        return f"{type(self).__name__}(name={self.name})" if not lines else "\n".join(lines)

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r} with {len(self.nodes)} nodes>"


def _add(op, inputs, attrs):
    return state.graph.add(op, inputs, attrs)


door.install(graph=_add)

__all__ = ["Graph", "Node", "SymbolicTensor", "dtypes"]
