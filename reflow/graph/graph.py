"""The graph: TensorFlow's GraphDef in memory.

Nodes are in program order, which is also the order of their effects. Names are assigned on demand (`names.py`).
Compiler passes never change a `Graph`; they work on what is derived from it (`derived.py`).
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from reflow.core import dtypes
from reflow.core.context import state, swapped
from reflow.core.errors import InaccessibleTensorError
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.properties import read_write
from reflow.core.scope import Scope, Swapped
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Attrs, Proto
from reflow.graph import inference
from reflow.graph.names import CAPTURED, LEGAL, CallScope, Namer, check_name
from reflow.graph.node import Node, Waits, called_from_here, describe_source
from reflow.graph.symbolic import SymbolicTensor
from reflow.ops import opdef, random_state
from reflow.ops.kernels.array.shaping import const
from reflow.ops.registry import Op

#: graphs are numbered separately from tensors: creating a tensor starts the runtime, creating a graph does not
_new_version = itertools.count(1).__next__


#: marks the nodes named in `control_dependencies`, in files too
_WAITED_FOR = "_has_manual_control_dependencies"


def plain_graph(graph: Any) -> Graph | None:
    """The plain graph in which functions are being traced, `graph` innermost; None if eager code traces them."""
    while graph is not None and graph.building_function:
        graph = graph.parent
    return graph


def _of_thread(name: str, default: Any) -> property:
    """A graph attribute with a separate value in each thread."""
    return property(
        lambda self: getattr(self._scopes, name, default), lambda self, value: setattr(self._scopes, name, value)
    )


class Graph:
    """A dataflow graph under construction.

    >>> g = Graph()
    >>> with g.as_default():
    ...     pass
    >>> g.get_operations()
    []
    """

    building_function = False
    runs_in_session = False  # set for the parts of a graph that a session runs
    left_by_init_scope = False  # as functions are
    device_outside = ""  # the `tf.device` scope in which eager code started to build this graph
    # while a model is built once per replica: the object that keeps the gradients (compat/train/towers.py)
    towers: Any = None
    seed: int | None

    def __init__(self, name: str = "graph") -> None:
        self.name = name
        self.parent: Any = None  # the `Graph` in which this one was made
        self.nodes: list[Node] = []
        self.variables_used: dict[int, Any] = {}  # by the id of the handle
        self.seed = None
        self.version_id = _new_version()
        self._scopes = threading.local()
        self.revision = 0  # counts changes: results derived from an earlier revision are recomputed
        self._collections: dict[str, list] = {}
        self._names: dict[str, int] = {}
        self._named = 0
        self._seed_calls = 0
        self._label: str | None = None
        self._finalized = False
        #: attributes that scopes add to new nodes, by op; those for all ops under ""
        self._scope_attrs: dict[str, dict[str, Any]] = {}
        self.full_types: dict[Node, bytes] = {}  # FullTypeDefs of nodes for which the program set one
        self.invalid: dict[Node, str] = {}  # why a session cannot run a node
        self.control_captures: list[Node] = []  # nodes of outer graphs that a function waits for
        self._functions: dict[str, Any] = {}  # by name: functions added by `ConcreteFunction.add_to_graph`
        self._unfeedable: set[int] = set()
        self._unfetchable: set[Node] = set()
        self._container = ""  # where the resources of new nodes live

    #: the scopes of new nodes: each thread that builds a plain graph has its own
    scope_now: Any = _of_thread("scope_now", "")
    control_stack: Any = _of_thread("control_stack", ())
    #: device scopes that are functions of a node, with the scopes around and inside them, outermost first
    device_stack: Any = _of_thread("device_stack", ())
    # the innermost device scope; a function inherits that of the surrounding code
    device_now: Any = _of_thread("device_now", "")
    colocated: Any = _of_thread("colocated", ())  # nodes with which new ones are colocated, outermost first

    def switch_to_thread_local(self) -> None:
        """Give each thread its own device scopes and control dependencies, which is already the case."""

    # --- building

    def add(self, op: Op, inputs: Sequence[Tensor], attrs: Attrs) -> Any:
        """Add a node; returns its output tensor, or a list of them.

        A plain graph adds it to the graph of its first input.
        """
        if not self.building_function:
            graph = next((t._graph for t in inputs if type(t) is SymbolicTensor), self)
            if graph is not self and not graph.building_function:
                with graph.as_default(), graph.name_scope_for(self._label) if self._label else nullcontext():
                    return graph.add(op, inputs, attrs)
        ins = tuple([t if type(t) is SymbolicTensor and t._graph is self else self.capture(t) for t in inputs])
        if op.hidden_counter:
            attrs = {**attrs, "_counter": random_state.node_cell(attrs)}
        if self._scope_attrs:
            attrs = {**attrs, **self._scope_attrs.get("", {}), **self._scope_attrs.get(op.name, {})}
        if self._container and not attrs.get("container", self._container):
            attrs = {**attrs, "container": self._container}
        node = Node(op, ins, attrs, self, (self.scope_now, self._label))
        kinds, dims, statics = inference.infer(op, ins, attrs, node)
        outputs = node.outputs = [
            SymbolicTensor(node, i, self, k, d, s) for i, (k, d, s) in enumerate(zip(kinds, dims, statics, strict=True))
        ]
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        self.append(node)
        if self.device_stack:
            from reflow.graph.device_scopes import device_by_functions

            device_by_functions(node, self.device_stack)
        if self.colocated:
            from reflow.graph.colocation import place_beside

            place_beside(node, self.colocated)
        if state.tapes:
            for tape in state.tapes:
                tape.record(op, inputs, tuple(outputs), attrs)
        return outputs[0] if op.single else outputs[:]  # a list of the caller's own: it may change it

    def create_op(
        self, op_type: str, inputs: Sequence[SymbolicTensor], dtypes: Any = None, input_types: Any = None,
        name: str | None = None, attrs: Any = None, op_def: Any = None, compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Node:
        """Add a node by op name; `attrs` are AttrValue protos. They determine the types of its outputs.

        >>> with Graph().as_default() as g:
        ...     g.create_op("Neg", [tf.constant([1.0])], [tf.float32], name="minus").outputs
        [<tf.Tensor 'minus:0' shape=(1,) dtype=float32>]
        """
        from reflow.graph.create import create

        return create(self, op_type, inputs, name, attrs)

    def capture(self, tensor: Any) -> SymbolicTensor:
        """An outer tensor, as a tensor of this graph."""
        if isinstance(tensor, EagerTensor):
            return self.add(const, (), {"value": tensor._host(), "dtype": tensor._dtype})
        raise InaccessibleTensorError(
            f"{tensor} must be from the same graph as the other inputs of this op (graphs are "
            f"{tensor._graph!r} and {self!r})."
        )

    def append(self, node: Node) -> None:
        """Append a complete node."""
        self.nodes.append(node)
        self.revision += 1

    def drop_nodes(self, size: int) -> None:
        """Remove the nodes after the first `size`, to which nothing may refer."""
        del self.nodes[size:]
        self._named = min(self._named, size)
        self.revision += 1

    def move_before(self, node: Node, start: int) -> None:
        """Move the nodes from number `start` on before an earlier node."""
        moved = self.nodes[start:]
        del self.nodes[start:]
        place = self.nodes.index(node)
        self.nodes[place:place] = moved
        self._named = min(self._named, place)
        self.revision += 1

    def reorder(self, nodes: Iterable[Node]) -> None:
        """Reorder all nodes."""
        self.nodes[:] = nodes
        self.revision += 1

    def keep_nodes(self, wanted: set[Node]) -> None:
        """Remove unwanted nodes, to which no remaining node may refer."""
        self.nodes[:] = [node for node in self.nodes if node in wanted]
        self._named = sum(node._name is not None for node in self.nodes)
        self.revision += 1

    def watch_variable(self, variable: Any) -> None:
        """Record that a variable is used here."""
        self.variables_used.setdefault(variable.handle._id, variable)

    def next_seed(self) -> int:
        """The number of op seeds this graph has handed out: the op seed in TensorFlow's graph mode."""
        self._seed_calls += 1
        return self._seed_calls - 1

    def finalize(self) -> None:
        """Forbid adding nodes from now on."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        """Allow adding nodes again: for libraries that know that the graph is not running."""
        self._finalized = False

    finalized = property(lambda self: self._finalized)

    def container(self, container_name: str) -> Scope:
        """A `with` block whose variables, queues and tables live in a container, which `tf.compat.v1.Session.reset`
        clears.

        >>> with Graph().as_default() as g, g.container("mine") as name:
        ...     name
        'mine'
        """
        return Swapped(self, {"_container": container_name}, "_container")

    # --- names

    def name_nodes(self) -> None:
        """Assign a unique name to every unnamed node, in program order."""
        new, self._named = self.nodes[self._named :], len(self.nodes)
        Namer(new, self.unique).run()

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the current scope, or `name_1`, `name_2`… if it is taken; names that differ only in case count as
        one.

        >>> g = Graph()
        >>> with g.name_scope("layer"):
        ...     g.unique_name("x"), g.unique_name("X")
        ('layer/x', 'layer/X_1')
        """
        self.name_nodes()  # earlier nodes are named first
        return self.unique(f"{self.current_scope}{name}", mark_as_used)

    def unique(self, name: str, mark_as_used: bool = True) -> str:
        """`name`, which already includes its scope, or `name_1`, `name_2`… if it is taken."""
        key = name.lower()
        count = self._names.get(key, 0)
        candidate = name
        if count:
            candidate = f"{name}_{count}"
            while candidate.lower() in self._names:
                count += 1
                candidate = f"{name}_{count}"
        if mark_as_used:
            self._names[key] = count + 1
            self._names.setdefault(candidate.lower(), 1)
        return candidate

    def name_scope_for(self, label: str) -> Scope:
        """A `with` block in which nodes are named `label`."""
        if label is not CAPTURED and not LEGAL.match(label):
            check_name(label, not self.scope_now)
        return Swapped(self, {"_label": label})

    def scope(self, name: str | None) -> Scope:
        """A `tf.name_scope` in this graph; yields the full scope, ending in `/`. `None` and "" return to the top."""
        return Swapped(self, lambda: {"scope_now": self.new_scope(name)}, "scope_now")

    def new_scope(self, name: str | None) -> Any:
        """The scope that `tf.name_scope(name)` would create here."""
        old = self.scope_now
        if not name:
            return ""
        if name.endswith("/"):
            return name
        check_name(name, not old)
        self.name_nodes()  # earlier nodes are named first
        new = self.unique(f"{old}{name}") + "/"
        return CallScope(new) if called_from_here() else new

    def opened(self, name: str) -> Scope:
        """A scope for the nodes of a public function that creates several; yields it, ending in `/`."""
        check_name(name, not self.scope_now)
        self.name_nodes()
        return self.below(name if name.endswith("/") else self.unique(f"{self.current_scope}{name}") + "/")

    def below(self, scope: Any) -> Scope:
        """Nodes added inside go into an existing scope."""
        return Swapped(self, {"scope_now": scope}, "scope_now")

    name_scope = scope
    current_scope = property(
        lambda self: str(self.scope_now), doc="The scope of new nodes, ending in `/`; empty at the top."
    )

    def get_name_scope(self) -> str:
        """The current scope, without the `/` at its end."""
        return self.current_scope.removesuffix("/")

    @property
    def _variable_creator_stack(self) -> list:
        """The functions of `tf.variable_creator_scope` that are active."""
        return list(state.variable_creators)

    _building_function = read_write(
        "left_by_init_scope", "Whether this is the body of a function, or a program says so: `init_scope` leaves it."
    )

    def _get_control_flow_context(self) -> None:
        """TensorFlow 1's control flow context around new nodes: always None, since control flow has separate graphs."""

    # --- scopes

    def as_default(self) -> Scope:
        """Add ops to this graph in a `with` block."""
        if state.graph is self:
            return swapped("graph", graph=self)  # tapes stay active
        if self.building_function:
            return swapped("graph", graph=self, tapes=())
        if self.left_by_init_scope:
            self.parent = state.graph
        return swapped("graph", graph=self, tapes=(), device=self.device_now)

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Scope:
        """Nodes added inside run after the given tensors or operations (or names of such)."""

        def values() -> dict[str, Any]:
            given = control_inputs
            return {"control_stack": () if given is None else (*self.control_stack, Waits(self._waits(given)))}

        return Swapped(self, values)

    def _waits(self, inputs: Iterable[Any]) -> list:
        """The nodes of this graph among control dependencies; eager values need no waiting."""
        waits = []
        for x in inputs:
            if hasattr(x, "handle"):
                x = getattr(x, "written_by", None)  # the result of an assignment stands for it
            if x is None or isinstance(x, EagerTensor):
                continue
            if isinstance(x, IndexedSlices):
                x = x.values
            if not isinstance(x, (Node, SymbolicTensor)):
                x = self.as_graph_element(x)
            node = x if isinstance(x, Node) else x.op
            if node.graph is self:
                waits.append(node)
                if _WAITED_FOR not in node.attrs:
                    node.rewrite(attrs={**node.attrs, _WAITED_FOR: True})
            elif self.building_function:
                self.control_captures.append(node)  # callers of this function wait for it
        return waits

    def device(self, device_name_or_function: Any) -> AbstractContextManager:
        """Place nodes added inside on a device: a name, or a function from a node to one."""
        from reflow.graph.device_scopes import GraphDeviceScope

        given = device_name_or_function
        return GraphDeviceScope(self, given.to_string() if hasattr(given, "to_string") else given)

    def _apply_device_functions(self, op: Any) -> None:
        """Tell an object, as if it were a new node, its device by the scopes that are open: so Keras 2 asks for it."""
        from reflow.graph.device_scopes import device_in_scopes

        device = device_in_scopes(self, op)
        if device:
            op._set_device_from_string(device)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> AbstractContextManager:
        """Place nodes added inside on the device of another node or tensor."""
        from reflow.graph.colocation import ColocationScope

        return ColocationScope(self, op, ignore_existing)

    def gradient_override_map(self, op_type_map: dict) -> Scope:
        """Override gradients of nodes added inside.

        `{"Square": "CustomSquare"}`, with names from `tf.RegisterGradient`.
        """

        return self._with_attrs("_gradient_op_type", op_type_map, "op_type_map")

    def _with_attrs(self, attribute: str, by_op: Any, name: str) -> Scope:
        """A `with` block that adds an attribute to new nodes of some ops.

        `name` is the caller's name for the dictionary.
        """

        def values() -> dict[str, Any]:
            if not isinstance(by_op, dict) or not all(isinstance(text, str) for pair in by_op.items() for text in pair):
                raise TypeError(f"{name} must be a dictionary mapping strings to strings")
            new = {op: {**self._scope_attrs.get(op, {}), attribute: value} for op, value in by_op.items()}
            return {"_scope_attrs": {**self._scope_attrs, **new}}

        return Swapped(self, values)

    def _kernel_label_map(self, op_to_kernel_label_map: dict) -> Scope:
        """Request labelled kernels for new nodes of these ops: a private TensorFlow scope."""
        return self._with_attrs("_kernel", op_to_kernel_label_map, "op_to_kernel_label_map")

    def _attr_scope(self, attr_map: dict) -> Scope:
        """Add attributes to new nodes, as AttrValue protos; None removes one of an outer scope."""

        def values() -> dict[str, Any]:
            from reflow.graph.proto_values import decode_plain

            if not isinstance(attr_map, dict):
                raise TypeError("attr_map must be a dictionary mapping strings to Callable[]")
            given = {**self._scope_attrs.get("", {}), **{k: v and decode_plain(v) for k, v in attr_map.items()}}
            return {"_scope_attrs": {**self._scope_attrs, "": {k: v for k, v in given.items() if v is not None}}}

        return Swapped(self, values)

    # --- looking

    def get_operations(self) -> list:
        """All nodes, in program order."""
        return list(self.nodes)

    operations = property(get_operations)

    def num_operations(self) -> int:
        """The number of operations."""
        return len(self.nodes)

    def op_def_for_type(self, type: str) -> Proto:
        """The OpDef proto of an op by its name.

        >>> Graph().op_def_for_type("AddV2").input_arg[0].name
        'x'
        """
        from reflow.graph.describe import op_def

        return op_def(opdef.lookup(type))

    def get_operation_by_name(self, name: str) -> Node:
        """The operation of this name; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor of a name such as "x:0"; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor or operation of this graph that an object or a name stands for."""
        from reflow.graph import lookup

        return lookup.element(self, obj, allow_tensor, allow_operation)

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether a session may be fed a value for the tensor."""
        return tensor._id not in self._unfeedable

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Forbids to feed the tensor."""
        self._unfeedable.add(tensor._id)

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a session may return it."""
        return (tensor_or_op if isinstance(tensor_or_op, Node) else tensor_or_op.op) not in self._unfetchable

    def prevent_fetching(self, op: Node) -> None:
        """Forbids to fetch the operation."""
        self._unfetchable.add(op)

    # --- collections

    def get_all_collection_keys(self) -> list:
        """The names of all collections."""
        return list(self._collections)

    collections = property(get_all_collection_keys)

    def add_to_collection(self, name: str, value: Any) -> None:
        """Append a value to a collection: a list stored with the graph.

        >>> g = Graph()
        >>> g.add_to_collection("losses", 3)
        >>> g.get_collection("losses")
        [3]
        """
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append a value to several collections."""
        for name in dict.fromkeys((names,) if isinstance(names, str) else names):
            self.add_to_collection(name, value)

    def get_collection(self, name: str, scope: str | None = None) -> list:
        """A copy of a collection; with `scope`, only values whose name starts with a match of that pattern."""
        found = self._collections.get(name, [])
        if scope is None:
            return list(found)
        pattern = re.compile(scope)
        return [x for x in found if hasattr(x, "name") and pattern.match(x.name)]

    def get_collection_ref(self, name: str) -> list:
        """The collection itself, not a copy."""
        return self._collections.setdefault(name, [])

    def clear_collection(self, name: str) -> None:
        """Removes a collection."""
        self._collections.pop(name, None)

    # --- as a whole

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False, use_pybind11_proto: bool = False
    ) -> Proto:
        """This graph as TensorFlow's GraphDef proto.

        `from_version` omits nodes that existed at that version; `add_shapes` writes the static shapes.
        """
        from reflow.graph.export import graph_to_proto

        return graph_to_proto(self, start=from_version or 0, complete=True, shapes=add_shapes)

    @property
    def version(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    @property
    def graph_def_versions(self) -> Proto:
        from reflow.graph.export import new_graph_def

        return new_graph_def().versions

    def __str__(self) -> str:
        """One line per node: name, type, inputs, and the static shape and dtype of each output."""
        lines = []
        for node in self.nodes:
            ins = ", ".join(t.name for t in node.inputs)
            outs = ", ".join(f"{t._dtype.name}{inference.text(t._dims)}" for t in node.outputs)
            lines.append(f"{node.name} = {node.type}({ins}) -> {outs or 'nothing'}")
        return repr(self) if not lines else "\n".join(lines)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name}, id={self.version_id})"


__all__ = ["Graph", "Node", "SymbolicTensor", "describe_source", "dtypes"]
