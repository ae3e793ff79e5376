"""`Node` (public name `tf.Operation`): an op's record with symbolic inputs, attributes and symbolic outputs.

A node stores the user line that created it as (code object, line). That costs 1 to 2 µs for walking the frames; the
text is created on demand.
"""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
import sys
import threading
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from reflow.core.context import state
from reflow.core.types import Attrs, Proto
from reflow.graph import inference
from reflow.graph.symbolic import SymbolicTensor, _session
from reflow.ops.kernels.array.shaping import placeholder

if TYPE_CHECKING:
    from reflow.graph.graph import Graph
    from reflow.graph.names import Label
    from reflow.ops.registry import Op


_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
#: files whose frames are skipped: converted code calls public functions through the first, code that runs next to Keras
#: through the second, functions with type dispatch through the third
_BETWEEN = (
    os.path.join(_OURS, "api", "autograph", "conversion.py"),
    os.path.join(_OURS, "keras", "compat", "symbolic.py"),
    os.path.join(_OURS, "api", "dispatching.py"),
)
_SCOPE_FILES = tuple(
    os.path.join(_OURS, *path) for path in (("core", "scope.py"), ("core", "name_scope.py"), ("graph", "graph.py"))
)


Source: TypeAlias = tuple[types.CodeType, int]  # a line of the user's code


class Node:
    """One node of a graph; `tf.Operation`. Functions such as `tf.add` make it.

    Args:
      record: The op that it runs.
      inputs: The tensors that go in.
      attrs: Its attributes.
      graph: The graph that it belongs to.
      label: What its name is made of.

    >>> with tf.Graph().as_default():
    ...     op = tf.add(1, 2, name="sum").op
    >>> op.name, op.type
    ('sum', 'AddV2')
    """

    __slots__ = (
        "record",
        "inputs",
        "attrs",
        "outputs",
        "waits",
        "graph",
        "device",
        "_name",
        "_label",
        "source",
        "entry",
        "__weakref__",
        "__dict__",  # created when an attribute is set from outside, as Keras 2 does
    )

    def __init__(
        self, record: Op, inputs: tuple[SymbolicTensor, ...], attrs: Attrs, graph: Graph, label: Label
    ) -> None:
        self.record, self.inputs, self.attrs, self.graph = record, inputs, attrs, graph
        self.device = state.device
        self.waits: tuple[Node, ...] = _control_inputs(self) if graph.control_stack else ()
        self._label = label
        self._name: str | None = None
        self.source, self.entry = _user_frame()
        self.outputs: list[SymbolicTensor] = []

    _original_op = None  # a gradient's nodes do not know their forward op

    @property
    def type(self) -> str:
        return self.record.name

    @property
    def control_inputs(self) -> list[Node]:
        """The operations that this one waits for: the program's and, in a function, those its effects require."""
        if not self.graph.building_function:
            return list(self.waits)
        from reflow.graph.control_edges import order_of

        # a function's graph has derivations
        return list(order_of(self.graph).before.get(self, ()))  # type: ignore[arg-type]

    control_outputs = property(lambda self: [n for n in self.graph.nodes if self in n.control_inputs])

    @property
    def name(self) -> str:
        if self._name is None:
            self.graph.name_nodes()
        return self._name  # type: ignore[return-value]  # every node of the graph has one now

    @classmethod
    def from_node_def(
        cls, node_def: Proto, g: Graph, inputs: Iterable[SymbolicTensor] = (), output_types: Any = None,
        control_inputs: Iterable[Node] = (), input_types: Any = None, original_op: Any = None, op_def: Any = None,
    ) -> Node:
        """Makes a node as a NodeDef proto describes it.

        Args:
          node_def: The proto.
          g: The graph.
          inputs: The tensors that go in.
          output_types: Accepted, and not used: they follow from the op.
          control_inputs: Nodes that run before it.
          input_types: Accepted, and not used.
          original_op: Accepted, and not used.
          op_def: Accepted, and not used.

        Returns:
          The node.

        Raises:
          ValueError: The name is no name of a node.
        """
        from reflow.graph.create import create
        from reflow.graph.names import LEGAL

        if not LEGAL.match(node_def.name):
            raise ValueError(
                f"`node_def.name`={node_def.name!r} is not a valid node name. A node name has to match: {LEGAL.pattern}"
            )
        with g.control_dependencies(control_inputs):
            return create(g, node_def.op, list(inputs), node_def.name, node_def.attr)

    def copied(self, graph: Graph, inputs: tuple[SymbolicTensor, ...], waits: tuple[Node, ...]) -> Node:
        """A copy for another graph, with inputs there. It has no name yet."""
        twin = Node.__new__(Node)
        twin.record, twin.attrs, twin.graph = self.record, dict(self.attrs), graph
        twin.inputs, twin.waits = inputs, waits
        twin.device, twin.source, twin.entry = self.device, self.source, self.entry
        twin._label, twin._name = self._label, None
        twin.outputs = [SymbolicTensor(twin, t.value_index, graph, t._dtype, t._dims, t._static) for t in self.outputs]
        return twin

    def rewrite(
        self, inputs: Iterable[SymbolicTensor] | None = None, attrs: Attrs | None = None,
        outputs: list[SymbolicTensor] | None = None, waits: Iterable[Node] | None = None,
    ) -> None:
        """Change this node's inputs, attributes, outputs or control inputs; this counts as a change of its graph."""
        self.inputs = self.inputs if inputs is None else tuple(inputs)
        self.attrs = self.attrs if attrs is None else attrs
        self.outputs = self.outputs if outputs is None else outputs
        self.waits = self.waits if waits is None else tuple(waits)
        self.graph.revision += 1

    # TensorFlow's private methods, which libraries call to modify an existing graph

    def _set_attr(self, attr_name: str, attr_value: Proto) -> None:
        from reflow.graph import rewiring

        rewiring.set_attr(self, attr_name, attr_value)

    def _update_input(self, index: int, tensor: SymbolicTensor) -> None:
        from reflow.graph import rewiring

        rewiring.update_input(self, index, tensor)

    def _add_control_inputs(self, ops: Iterable[Node]) -> None:
        from reflow.graph import rewiring

        rewiring.add_control_inputs(self, ops)

    def _add_control_input(self, op: Node) -> None:
        self._add_control_inputs([op])

    def _remove_all_control_inputs(self) -> None:
        self.rewrite(waits=())

    def _set_device(self, device: Any) -> None:
        self.device = device.to_string() if hasattr(device, "to_string") else device
        self.graph.revision += 1

    _control_outputs = control_outputs

    def get_attr(self, name: str) -> Any:
        """Returns an attribute in TensorFlow's form: strings as bytes, tensors, shapes and functions as protos.

        Args:
          name: The name of the attribute.

        Returns:
          Its value.

        Raises:
          ValueError: There is no such attribute.
        """
        from reflow.graph import describe

        full = inference.full_attrs(self)
        attr = self.record.definition.attrs.get(name)
        if name == "_user_specified_name" and self.record is placeholder and self.graph.building_function:
            return (self._label[1] or self.name).encode()  # an argument's
        if attr is None and name not in full:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return describe.public_value(attr.type if attr is not None else None, full.get(name))

    @property
    def op_def(self) -> Proto:
        """The OpDef proto."""
        from reflow.graph.describe import op_def

        return op_def(self.record.definition)

    @property
    def node_def(self) -> Proto:
        """The NodeDef proto, with all attributes."""
        from reflow.graph.export import node_to_proto

        return node_to_proto(self, complete=True)

    def experimental_set_type(self, type_proto: Proto) -> None:
        """Stores the full type of this node's output, for its NodeDef.

        Args:
          type_proto: A FullTypeDef proto.
        """
        self.graph.full_types[self] = type_proto.SerializeToString()

    @property
    def traceback(self) -> list:
        """The user line that created this node, as a list with one frame."""
        import traceback

        if self.source is None:
            return []
        code, line = self.source
        return traceback.StackSummary.from_list([(code.co_filename, line, code.co_name, None)])

    def origin(self) -> str:
        """The user line that created this node, as traceback lines; empty if unknown."""
        if self.source is None:
            return ""
        code, line = self.source
        text = linecache.getline(code.co_filename, line).strip()
        where = f'  File "{code.co_filename}", line {line}, in {code.co_name}\n'
        return where + (f"    {text}\n" if text else "")

    def values(self) -> tuple[SymbolicTensor, ...]:
        """Its results, as a tuple."""
        return tuple(self.outputs)

    def _get_control_flow_context(self) -> None:
        """TensorFlow 1's control flow context of this node: always None, since control flow has separate graphs."""

    def colocation_groups(self) -> list:
        """The names of the nodes with which this one is colocated, in TensorFlow's form; its own if there are none.

        >>> with tf.Graph().as_default():
        ...     tf.constant(1, name="x").op.colocation_groups()
        [b'loc:@x']
        """
        given = [c if isinstance(c, bytes) else c.encode() for c in self.attrs.get("_class", ())]
        return [c for c in given if c.startswith(b"loc:@")] or [f"loc:@{self.name}".encode()]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run this operation in a session (`tf.compat.v1`)."""
        _session(session, "Cannot execute operation using `run()`", "run").run(self, feed_dict)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class Waits:
    """One `control_dependencies` block: what its nodes wait for, and the nodes created in it."""

    __slots__ = ("nodes", "inside")

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.inside: set[Node] = set()


def _control_inputs(node: Node) -> tuple:
    """The control inputs of a new node.

    An input created in the same block has already waited, except a function's capture, which exists before the function
    runs.
    """
    if node.record is placeholder and node.graph.building_function:
        return ()
    given = {t.op for t in node.inputs}
    found: dict = {}
    for block in node.graph.control_stack:
        if block.inside.isdisjoint(given):
            found.update(dict.fromkeys(n for n in block.nodes if n not in given))
        block.inside.add(node)
    return tuple(found)


def _user_frame() -> tuple[Source | None, types.CodeType | None]:
    """The innermost frame outside Reflow and Keras, as (code, line), and the code of the called public function."""
    found = _looked_through(sys._getframe(2), _around.traces)
    return found.user or found.library, found.entry


class Frames(NamedTuple):
    """What is found on the way out from a frame."""

    user: Source | None  # the innermost frame of the user
    library: Source | None  # the innermost one of Keras before it
    entry: types.CodeType | None  # the outermost of our frames before both


def _looked_through(frame: types.FrameType | None, traces: list[Trace]) -> Frames:
    entry = library = None
    kinds = _kinds
    while frame is not None:
        code = frame.f_code
        kind = kinds[code.co_filename]
        if kind == OURS:
            if library is None:
                entry = code
        elif kind == USERS:
            return Frames((code, frame.f_lineno), library, entry)
        elif kind == LIBRARY:
            library = library or (code, frame.f_lineno)
        elif kind == TRACING:
            entry = entry if library else code
            if code is Trace.code and traces:
                outside = traces[-1].outside(frame)
                return Frames(outside.user, library or outside.library, entry if library else outside.entry or entry)
        frame = frame.f_back
    return Frames(None, library, entry)


class Trace:
    """A `with` block for what `Trace.code` does on its frame: the frames around it are looked through once.

    They stay as they are while the function is traced. A node of a function takes 9 µs then, and 11 to 13 if each looks
    through all frames up to the user's.
    """

    code: types.CodeType | None = None  # of `trace_to_graph`

    def __init__(self) -> None:
        self._outside: Frames | None = None

    def __enter__(self) -> None:
        _around.traces.append(self)

    def __exit__(self, *_: object) -> None:
        _around.traces.pop()

    def outside(self, frame: types.FrameType) -> Frames:
        if self._outside is None:
            self._outside = _looked_through(frame.f_back, [])
        return self._outside


class _Around(threading.local):
    def __init__(self) -> None:
        self.traces: list[Trace] = []  # the innermost one last


_around = _Around()


def user_line() -> Source | None:
    """The user's current line, as (code, line): the innermost one outside Reflow and Keras."""
    return _user_frame()[0]


OURS, BETWEEN, LIBRARY, USERS, TRACING = 1, 2, 3, 4, 5


class _Kinds(dict[str, int]):
    """The owners of files by name.

    A lookup takes a quarter of the time of prefix comparisons, and Keras calls go through 20 frames.
    """

    def __missing__(self, name: str) -> int:
        if len(self) > 10_000:  # generated code
            self.clear()
        kind = self[name] = _classify(name)
        return kind


_kinds = _Kinds()


@functools.cache
def _keras_folder() -> str:
    """Where Keras is installed: users prefer to see their own line further out. Keras is not imported."""
    try:
        spec = importlib.util.find_spec("keras")
    except ValueError:  # a module was put into sys.modules by hand
        spec = None
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return os.path.join(folders[0], "") if folders else os.devnull


def _classify(name: str) -> int:
    if Trace.code is not None and name == Trace.code.co_filename:
        return TRACING
    if name.startswith(_OURS):
        return BETWEEN if name in _BETWEEN else OURS
    return LIBRARY if name.startswith(_keras_folder()) else USERS


def called_from_here() -> bool:
    """Whether Reflow itself opened a name scope: a public function that opens a scope for its nodes."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.endswith(_SCOPE_FILES):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_OURS)


def describe_source(node: Node) -> str:
    """Where a node was created, as a traceback line; empty if unknown."""
    return node.origin()
