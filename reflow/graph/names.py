"""Node names: the same as TensorFlow's, but computed on demand. Tracing creates thousands of nodes whose names are
never used.

A name is a scope and a label, made unique ignoring case (`add`, `add_1`). The label is the user's `name=`, or depends
on the op and how it was called: `x + y` is `add`, `tf.add(x, y)` is `Add`. A constant that a call created from a Python
value, the read of a variable, and the placeholder of a captured tensor are named below the node that needed them
(`mul/y`, `mul/ReadVariableOp`, `mul/ReadVariableOp/resource`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from reflow.graph.graph import Graph
    from reflow.graph.node import Node


LEGAL_SCOPE = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")
LEGAL = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")

#: ops that Reflow itself adds for a `for` or `while` statement or a loop function are named like the operators `+` and
#: `<`
_STATEMENT_FILES = (
    "statements.py",
    "iteration.py",
    "control_flow.py",
    "functional.py",
    "indexing.py",
)
#: marks the name of a captured tensor, which depends on its user
CAPTURED = "captured"


class CallScope(str):
    """A name scope that a public function opened for its nodes.

    Nodes created from its arguments are directly below it.
    """

    __slots__ = ()


class BodyScope:
    """The scope of the nodes in the bodies of a branch or loop: below the node that will run them.

    That node is added after its bodies. If a name in a body is requested earlier, the node's name is chosen then.
    """

    __slots__ = ("_graph", "_scope", "_label", "_node", "_taken")

    def __init__(self, graph: Graph, label: str) -> None:
        self._graph, self._scope, self._label = graph, graph.scope_now, label
        self._node: Node | None = None
        self._taken: str | None = None

    def belongs_to(self, node: Node) -> None:
        """Called when the node that runs the bodies exists."""
        self._node, node._label = node, (self._scope, self._label)
        node._name = self._taken

    def __str__(self) -> str:
        node = self._node
        if self._taken is None and (node is None or node._name is None):
            self._graph.name_nodes()  # earlier nodes are named first
        if node is not None and node._name is not None:
            return node._name + "/"
        if self._taken is None:
            self._taken = self._graph.unique(f"{self._scope}{self._label}")
        if node is not None:
            node._name = self._taken
        return self._taken + "/"


def check_name(name: str, top: bool) -> None:
    """Reject a scope or node name that TensorFlow does not accept."""
    if top and name and not LEGAL.match(name):
        raise ValueError(
            f"'{name}' is not a valid root scope name. A root scope name has to match the "
            f"following pattern: {LEGAL.pattern}"
        )
    if not LEGAL_SCOPE.match(name):
        raise ValueError(
            f"'{name}' is not a valid scope name. A scope name has to match the following "
            f"pattern: {LEGAL_SCOPE.pattern}"
        )


#: the scope in which a node was created, and the name that the user gave it
Label: TypeAlias = tuple[Any, str | None]


class Namer:
    """Names the nodes of a graph, in program order; `unique` is the graph's."""

    def __init__(self, nodes: list[Node], unique: Callable[[str], str]) -> None:
        self._nodes, self._unique = nodes, unique
        self._users: dict[
            Node, tuple[Node, int]
        ] = {}  # node -> (the first node that uses it, position among its inputs)
        for node in reversed(nodes):
            for i, tensor in enumerate(node.inputs):
                self._users[tensor.op] = (node, i)

    def run(self) -> None:
        for node in self._nodes:
            if node._name is None:
                self._name(node)

    def _name(self, node: Node) -> None:
        scope, label = node._label
        if type(scope) is BodyScope:
            scope = str(scope)
        called_for = None if label not in (None, CAPTURED) else self._called_for(node, label)
        if called_for is None:
            node._name = self._own_name(node, scope, label)
            return
        user, i = called_for
        if type(scope) is CallScope and user._label[0] is scope and not user.record.list_use:
            node._name = self._unique(scope + argument_label(node, user, i))
            return
        if user._name is None:  # the call that created this node opened its scope first
            self._name(user)
        above, label = user.name, argument_label(node, user, i)
        if label == "element_shape" and user._label[1] is None and "/" in default_label(user):
            above, label = above.rpartition("/")[0], node.record.name
        node._name = self._unique(f"{above}/{label}")

    def _own_name(self, node: Node, scope: str, label: str | None) -> str:
        """The name of a node that was not created as another's input."""
        if label is CAPTURED:
            outer = outer_name(node)
            return self._unique(scope + (outer or label))
        if label is not None and label.endswith("/"):  # the name of a scope that the user opened for this node
            return label[:-1]
        if label is None:
            label = default_label(node)
            if "/" in label:  # a function that opens a scope for its one node: a second call opens a second scope
                opened, _, label = label.partition("/")
                scope = self._unique(scope + opened) + "/"
        return self._unique(scope + re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", label))

    def _called_for(self, node: Node, label: str | None) -> tuple[Node, int] | None:
        """The node for which a constant, read or placeholder was created, and the input's position; otherwise None."""
        found = self._users.get(node)
        if found is None or (label != CAPTURED and not may_be_argument(node)):
            return None
        user = found[0]
        if label == CAPTURED:
            return found
        made_for = user.entry is node.entry and user.source == node.source
        scope = user.record.naming.scope and user.record.flow not in ("branch", "loop")
        return found if made_for and scope and not read_before(node, user) else None


def may_be_argument(node: Node) -> bool:
    """Whether a node may have been created from an argument of a call, rather than requested by the user."""
    asked_by = node.record.naming.asked_by
    return asked_by is not None and (node.entry.co_name if node.entry is not None else "constant") not in asked_by


def read_before(node: Node, user: Node) -> bool:
    """Whether a variable was read before its user opened a scope.

    By the variable's own operators (`v * 2`, `2 * v`, `v[0]`).
    """
    if not node.record.only_reads:
        return False
    if user.record.naming.reads_first:
        return True
    if user.entry is None or os.path.basename(user.entry.co_filename) != "operators.py":
        return False
    first = user.inputs[0].op
    return first is node or not first.inputs and may_be_argument(first)


def default_label(node: Node) -> str:
    """The label of a node without a user-given name, before it is made unique."""
    record, naming, entry = node.record, node.record.naming, node.entry
    if entry is not None:
        if entry.co_name in naming.functions:
            return naming.functions[entry.co_name]
        file = os.path.basename(entry.co_filename)
        if naming.operator and (file in ("operators.py", "scoped.py") or naming.statement and file in _STATEMENT_FILES):
            return naming.operator
        if file == "raw_ops.py":
            return record.name
    return naming.label or record.name


def outer_name(node: Node) -> str | None:
    """The name of the outer tensor of a placeholder; None if it is eager and has none."""
    tensor = node.outputs[0]
    for outer, inner in getattr(node.graph, "captured", {}).values():
        if inner is tensor:
            if not getattr(outer, "_is_symbolic", False):
                return None
            return outer_name(outer.op) if outer.op._label[1] is CAPTURED else outer.op.name
    return None


def argument_label(node: Node, user: Node, i: int) -> str:
    if node._label[1] is CAPTURED:
        return outer_name(node) or input_label(user, i)
    return node.record.name if node.record.only_reads else input_label(user, i)


def is_packed_list(node: Node) -> bool:
    """Whether a node packs the elements of a Python list that was an argument of another op."""
    return node.record.has_lists and node._label[1] is None and may_be_argument(node)


def input_label(node: Node, i: int) -> str:
    """The name of a node's flat input `i`: as in the OpDef, with a number for elements of a list."""
    from reflow.graph import inference

    if is_packed_list(node):
        return str(i)
    at = 0
    full = None
    for arg in node.record.definition.inputs:
        if not arg.is_list:
            if at == i:
                return node.record.naming.inputs.get(arg.name, arg.name)
            at += 1
            continue
        full = full or inference.full_attrs(node)
        count = full[arg.number_attr] if arg.number_attr else len(full[arg.type_list_attr])
        if at <= i < at + count:
            return f"{arg.name}_{i - at}"
        at += count
    return "input"
