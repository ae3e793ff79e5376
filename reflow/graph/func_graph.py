"""`FuncGraph`: the graph of a function body, with inputs, captures and outputs.

A tensor from outside becomes a *capture*: an extra input placeholder, stored with the outer tensor, so that callers
pass it and gradients reach it. Small integer, boolean and string constants become `Const` nodes instead: they are often
shapes, which must be known values. Resources are always captured.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from reflow.core import nest
from reflow.core.context import state
from reflow.core.dtypes import DType
from reflow.core.resources import Handle, HandleFacts, ListFacts, lasting
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Dims, Structure, Value
from reflow.graph.derived import Derivations
from reflow.graph.graph import Graph, SymbolicTensor
from reflow.graph.inference import dims_through
from reflow.graph.names import CAPTURED, BodyScope
from reflow.graph.node import Node
from reflow.graph.symbolic import out_of_scope
from reflow.ops import random_state
from reflow.ops.kernels.array.shaping import const, placeholder
from reflow.ops.kernels.control.lists import TensorList
from reflow.ops.shape_facts import PartialValue

SMALL = 128  # elements
#: collections that a function shares with the graph around it
SHARED = frozenset(("variables", "local_variables", "trainable_variables"))


def _counted(attribute: str, doc: str) -> Any:
    """A property whose assignment counts as a change of the graph."""

    def assign(self: FuncGraph, tensors: list[SymbolicTensor]) -> None:
        setattr(self, attribute, tensors)
        self.revision += 1

    return property(operator.attrgetter(attribute), assign, doc=doc)


#: represents eager code where a graph is expected
_EAGER = Graph("eager")


class _AnyOrder:
    """TensorFlow's control over the order of effects in a function."""

    def run_independently(self, op: Any) -> None:
        """Allow a node's effect at any time. It keeps its place in the program, which is one of the allowed orders."""


class FuncGraph(Graph):
    """The body of a function: `inputs` (arguments, then captures), `nodes`, `outputs`."""

    building_function = left_by_init_scope = True
    experimental_acd_manager = _AnyOrder()
    wraps_version_1 = False  # set for graphs traced by `wrap_function`
    has_own_random_state = False  # set for the copy of a dataset's function that one iterator calls
    own_name = ""  # the name in files, where a program has chosen it
    control_stack = device_stack = colocated = ()
    device_now = ""
    scope_now: Any = ""  # or the `BodyScope` of a branch or loop. Not thread-local: one thread traces a function

    def __init__(self, name: str, parent: Graph | None = None) -> None:
        super().__init__(name)
        self.parent = parent if parent is not None else state.graph
        if self.parent is not None and self.parent._collections:
            self._collections = _inherited(self.parent._collections)
        self.body_scope: BodyScope | None = None  # for the body of a branch or loop
        self._inputs: list[SymbolicTensor] = []
        self._outputs: list[SymbolicTensor] = []
        self.captured: dict[int, tuple[Tensor, SymbolicTensor]] = {}  # id of the outer tensor -> (outer, inner)
        # id of a tensor -> its replacement here: for a passed variable's handle, or the tensors this graph was copied
        # from
        self.stand_ins: dict[
            int, Any
        ] = {}
        self.device_outside = ""  # the `tf.device` scope in which eager code started this trace
        #: the surrounding graph gets no more captures: tensors from further out are captured directly
        self.finished_outside = False
        #: for one of several branches: its name, and the branches traced before it, with their names
        self.branch = ""
        self.earlier_branches: tuple[tuple[Graph, str], ...] = ()
        self.exit_callbacks: list[Callable[[], Any]] = []  # called after the function's body has run
        self.structured_outputs: Any = None
        self.structured_input_signature: Any = None
        self.jit_compile = False
        self.result: Any = None  # the return value of a loop body or branch, before flattening
        self.created_variables: list = []
        self.creation_forbidden: str | None = None  # set to a reason in a second trace
        self.attributes: dict = {}  # for the FunctionDef
        self.saving_errors: set[str] = set()  # why this cannot be part of a SavedModel
        self.argument_values: list | None = None  # while a call traces: its arguments
        self.constants: dict[
            int, tuple[Tensor, SymbolicTensor]
        ] = {}  # id of a small outer tensor -> (outer, its `Const` here)
        self.derivations = Derivations()  # what the runtime and the compiler derive from this graph
        self.seed = random_state.global_seed() if self.parent is None else self.parent.seed

    def put_below(self, scope: BodyScope | None) -> None:
        """Make this the body of a branch or loop: its nodes are named below the node that will run it."""
        if scope is not None:
            self.body_scope = self.scope_now = scope

    saveable = property(lambda self: not self.saving_errors)

    def mark_as_unsaveable(self, error_message: str) -> None:
        """Record why neither this graph nor a surrounding one can be part of a SavedModel."""
        graph: Any = self
        while isinstance(graph, FuncGraph):
            graph.saving_errors.add(error_message)
            graph = graph.parent

    @property
    def outer_graph(self) -> Graph:
        """TensorFlow's name for `parent`. For a function called from eager code, TensorFlow has an empty graph here."""
        return _EAGER if self.parent is None else self.parent

    # --- inputs and captures

    inputs: list[SymbolicTensor] = _counted(
        "_inputs", "The placeholders: of the arguments, then of the captures. To change them, assign a new list."
    )
    outputs: list[SymbolicTensor] = _counted(
        "_outputs", "The tensors that the function returns. To change them, assign a new list."
    )

    def placeholder(self, dtype: DType, dims: Dims | None, name: str = "input") -> SymbolicTensor:
        """A new input tensor, at the top of the name scopes."""
        label, scope = self._label, self.scope_now
        self._label, self.scope_now = name, self.body_scope or ""
        tensor = Graph.add(self, PLACEHOLDER, (), {"dtype": dtype, "shape": dims})
        self._label, self.scope_now = label, scope
        return tensor

    def add_input(
        self, dtype: DType, dims: Dims | None, name: str = "input", static: PartialValue = None
    ) -> SymbolicTensor:
        """A new argument; `static` is its partial value (for a handle: the facts about the variable)."""
        tensor = self.placeholder(dtype, dims, name)
        tensor._static = static
        self._inputs.insert(len(self._inputs) - len(self.captured), tensor)
        self.revision += 1
        return tensor

    def capture(self, tensor: Any) -> SymbolicTensor:
        """The placeholder for an outer tensor."""
        found = self.captured.get(tensor._id)
        if found is not None:
            return found[1]
        if tensor._id in self.stand_ins:
            return self.stand_ins[tensor._id]
        if isinstance(tensor, EagerTensor):
            if tensor._dtype.kind in "iubs" and not tensor.always_captured and tensor._host().size <= SMALL:
                return self._constant(tensor, tensor._host())
        elif isinstance(tensor, SymbolicTensor):
            if not _lies_in(self, tensor._graph):
                return self.capture(self._stand_in(tensor))
            node = tensor.op
            # differentiable values are captured, so that gradients reach the outer constant
            if node.record is const and tensor._dtype.kind in "iubs" and node.attrs["value"].size <= SMALL:
                return self._constant(tensor, node.attrs["value"])
            if tensor._graph is not self.parent and not self.finished_outside:
                tensor = self.parent.capture(tensor)
                if tensor._id in self.captured:
                    return self.captured[tensor._id][1]
        else:
            raise TypeError(f"Cannot capture {tensor!r} of type {type(tensor).__name__}: it is not a tensor.")
        return self.add_capture(tensor)

    def add_capture(self, outer: Tensor, label: str = CAPTURED) -> SymbolicTensor:
        dims = outer.shape._dims if outer._dtype.kind != "o" else ()
        inner = self.placeholder(outer._dtype, dims, label)
        inner._static = static_of(outer)
        self._inputs.append(inner)
        self.captured[outer._id] = (outer, inner)
        self.revision += 1
        return inner

    def _constant(self, tensor: Tensor, value: Value) -> SymbolicTensor:
        if tensor._id not in self.constants:
            with self.name_scope_for(CAPTURED):
                inner = Graph.add(self, const, (), {"value": value, "dtype": tensor._dtype})
            self.constants[tensor._id] = (tensor, inner)
        return self.constants[tensor._id][1]

    def _stand_in(self, tensor: SymbolicTensor) -> Tensor:
        """The replacement for a tensor in a surrounding graph."""
        outer: Any = self
        while outer is not None:
            if tensor._id in getattr(outer, "stand_ins", ()):
                return outer.stand_ins[tensor._id]
            for other, branch in getattr(outer, "earlier_branches", ()):
                if tensor._graph is other:
                    raise ValueError(f"Tensor {tensor.name} in {branch} is accessed from {outer.branch}.")
            outer = outer.parent
        raise out_of_scope(tensor, repr(self), inner=_lies_in(tensor._graph, self))

    def last_write(self, handle: Tensor) -> Node | None:
        """The node that last writes a captured resource, in the body built so far; None if there is none."""
        inner = self.captured.get(handle._id, (None, None))[1]
        return next((n for n in reversed(self.nodes) if n.record.writes and any(x is inner for x in n.inputs)), None)

    @property
    def captures(self) -> list[tuple[Tensor, SymbolicTensor]]:
        """(outer, inner) pairs, in order."""
        return list(self.captured.values())

    @property
    def external_captures(self) -> list[Tensor]:
        return [outer for outer, _ in self.captured.values()]

    internal_captures = property(lambda self: [inner for _, inner in self.captured.values()])

    @property
    def arguments(self) -> list[SymbolicTensor]:
        """The inputs that are not captures."""
        return self.inputs[: len(self.inputs) - len(self.captured)]

    def output_dims(self, dims: Sequence[Dims | None]) -> list[Dims | None]:
        """The static shapes of the outputs for these input shapes."""
        if all(given == t._dims for given, t in zip(dims, self.inputs, strict=True)):
            return [t._dims for t in self.outputs]
        return dims_through(self, tuple(dims))

    # --- variables

    @property
    def variables(self) -> tuple:
        return tuple(v for v in self.variables_used.values() if not self.is_argument(v))

    @property
    def trainable_variables(self) -> tuple:
        return tuple(v for v in self.variables if v.trainable)

    def watch_variable(self, variable: Any) -> None:
        super().watch_variable(variable)
        if self.parent is not None and self.parent.building_function and not self.is_argument(variable):
            self.parent.watch_variable(variable)

    def is_argument(self, variable: Any) -> bool:
        """Whether a variable is represented by an argument of this function: each caller passes its own."""
        return variable.handle._id in self.stand_ins or getattr(variable.handle, "_graph", None) is self

    def variable_created(self, variable: Any) -> None:
        """Called when a `tf.Variable` is created while this function is traced."""
        if self.creation_forbidden:
            raise ValueError(self.creation_forbidden)
        self.created_variables.append(weakref.ref(variable))
        if self.parent is not None and self.parent.building_function:
            self.parent.variable_created(variable)

    def value_at_trace(self, tensor: SymbolicTensor) -> EagerTensor:
        """The value of a tensor, computed now: for variables created from tensors inside a trace.

        It may depend on arguments only if a call is being traced, whose arguments are then available.
        """
        from reflow.graph.clone import copy_nodes

        sub = FuncGraph("initial_value")
        wanted, needed = [tensor], set()
        while wanted:
            node = wanted.pop().op
            if node not in needed:
                needed.add(node)
                wanted.extend(node.inputs)
        known = self._known_inputs()
        feeds = [t for t in self.inputs if t.op in needed]
        fed = {t.op for t in feeds}
        if any(t._id not in known for t in feeds) or any(n.record is PLACEHOLDER and n not in fed for n in needed):
            raise ValueError(
                f"Argument `initial_value` ({tensor}) could not be lifted out of a `tf.function`. (Tried to create "
                "variable with name='None'). To avoid this error, when constructing `tf.Variable`s inside of "
                "`tf.function` you can create the `initial_value` tensor in a `tf.init_scope` or pass a callable "
                "`initial_value` (e.g., `tf.Variable(lambda : tf.truncated_normal([10, 40]))`). Please file a feature "
                "request if this restriction inconveniences you."
            )
        tensors = copy_nodes([n for n in self.nodes if n in needed], sub, {})
        sub.inputs = [tensors[t._id] for t in feeds]
        sub.outputs = [tensors[tensor._id]]
        return EagerTensor(sub.run([known[t._id] for t in feeds])[0], tensor._dtype)

    def _known_inputs(self) -> dict[int, Value]:
        """Values of inputs by id: captured eager tensors, and the arguments of the call being traced."""
        known = {inner._id: outer._value for outer, inner in self.captured.values() if isinstance(outer, EagerTensor)}
        arguments = self.arguments
        if self.argument_values is not None and len(self.argument_values) == len(arguments):
            known.update((t._id, v) for t, v in zip(arguments, self.argument_values, strict=True))
        return known

    # --- running

    def run(self, values: Sequence[Value]) -> list[Value]:
        """Run this function on raw values (arguments, then captures), in the way that the backend chooses."""
        return state.backend.run(self, values)

    def with_fresh_random_state(self) -> FuncGraph:
        """This function with restarted random streams, as each iterator of a dataset gets them."""
        from reflow.graph.clone import with_fresh_random_state

        return with_fresh_random_state(self)

    @property
    def control_outputs(self) -> list[Node]:
        """The nodes that run even if nothing needs their results."""
        from reflow.graph.control_edges import Order

        return Order(self.nodes).must_run

    def set_outputs(self, structured: Structure) -> None:
        """Fix the outputs from a nested structure of tensors."""
        self.structured_outputs = structured
        flat = [t for t in nest.flatten(structured, expand_composites=True) if t is not None]
        self.outputs = [t if getattr(t, "_graph", None) is self else self.capture(t) for t in flat]


def _inherited(collections: dict) -> dict:
    """A graph's collections for a function inside it: copies, except the lists of variables, which are shared."""
    return {name: found if name in SHARED else list(found) for name, found in collections.items()}


def _lies_in(graph: Any, around: Any) -> bool:
    """Whether a graph is traced inside another one."""
    outer = graph.parent
    while outer is not None and outer is not around:
        outer = outer.parent
    return outer is not None


def in_plain_graph(graph: Any) -> bool:
    """Whether a graph is built as in version 1, or is the body of a branch or loop in one:
    then only what a result needs runs."""
    while getattr(graph, "body_scope", None) is not None:
        graph = graph.parent
    return graph is not None and (not graph.building_function or graph.wraps_version_1)


def static_of(tensor: Any) -> PartialValue:
    """The partial value of a tensor, eager or symbolic.

    For a variable's handle `HandleFacts`, for a tensor list `ListFacts`.
    """
    if not isinstance(tensor, EagerTensor):
        return lasting(tensor._static)
    if tensor._dtype.kind != "o":
        return None
    value = tensor._value
    if isinstance(value, TensorList):
        return ListFacts(value.dtype)
    return HandleFacts(value.dims, value.dtype) if isinstance(value, Handle) else None


def input_like(graph: FuncGraph, tensor: Tensor, name: str = "input", dims: Any = ...) -> SymbolicTensor:
    """A new argument of `graph` for values like `tensor`."""
    if tensor._dtype.kind == "o":
        return graph.add_input(tensor._dtype, (), name, static_of(tensor))
    return graph.add_input(tensor._dtype, tensor.shape._dims if dims is ... else dims, name)


PLACEHOLDER = placeholder
