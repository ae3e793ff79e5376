"""Converts reference variables, in graphs written by TensorFlow 1 before 2018, to resource variables.

A `VariableV2` node returns a reference to its memory, which `Assign`, `ApplyGradientDescent` and other ops write to,
and which any op may read. Reflow has only resource variables. `upgraded` rewrites such a graph: the variable becomes a
handle of the same name, an op on references becomes its resource form, an `Identity` of a reference becomes a read, and
any other reader gets its own read. A reference that an op forwards (`Assign` returns its variable) becomes a read after
that op.
"""

from __future__ import annotations

from collections.abc import Iterable

from reflow.core import dtypes
from reflow.core.types import Proto
from reflow.ops import opdef, registry
from reflow.ops.kernels.array.shaping import identity
from reflow.ops.kernels.control.state import read_variable, var_handle

_REFERENCES = ("Variable", "VariableV2")
_BRANCH = "RefSwitch"
#: ops on references whose resource form is not named "Resource…"
_RENAMED = dict(
    Assign="AssignVariableOp", AssignAdd="AssignAddVariableOp", AssignSub="AssignSubVariableOp",
    IsVariableInitialized="VarIsInitializedOp",
)


def resource_form(op: str) -> str:
    """The op on resource variables that does what an op on references does."""
    return _RENAMED.get(op, f"Resource{op}")


def upgraded(graph_def: Proto) -> Proto:
    """A GraphDef without reference variables; the same one if it has none."""
    if not any(node.op in _REFERENCES for node in graph_def.node):
        return graph_def
    return _Upgrade(graph_def).result


class _Upgrade:
    def __init__(self, graph_def: Proto) -> None:
        self.result = type(graph_def)()
        self.result.CopyFrom(graph_def)
        del self.result.node[:]
        self.known = set(opdef.names())
        #: name of a node that returns a reference -> (its variable's handle, the writes that precede it)
        self.variables: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.kinds: dict[str, Proto] = {}
        self._find(list(graph_def.node))
        for node in graph_def.node:
            self._add(node)

    def _find(self, nodes: list[Proto]) -> None:
        """Follow references from variables through the ops that forward them, whatever the order of the nodes."""
        for node in nodes:
            if node.op in _REFERENCES:
                self.variables[node.name], self.kinds[node.name] = (node.name, ()), node.attr["dtype"]
        left = [node for node in nodes if node.op not in _REFERENCES and self._takes_references(node)]
        while left:
            rest = []
            for node in left:
                first = self._source(node.input[0]) if node.input else ""
                if first in self.variables and node.op == _BRANCH:
                    variable, behind = self.variables[first]
                    for output in (node.name, f"{node.name}:1"):
                        self.variables[output], self.kinds[output] = (output, behind), self.kinds[variable]
                elif first in self.variables:
                    variable, behind = self.variables[first]
                    self.variables[node.name] = (variable, (*behind, node.name))
                else:
                    rest.append(node)
            if len(rest) == len(left):
                return
            left = rest

    def _takes_references(self, node: Proto) -> bool:
        return node.op in self.known and any(arg.is_ref for arg in opdef.lookup(node.op).inputs)

    @staticmethod
    def _source(reference: str) -> str:
        return reference.removeprefix("^").removesuffix(":0")

    def _add(self, node: Proto) -> None:
        if node.op in _REFERENCES:
            self._add_handle(node)
        elif node.op == _BRANCH and node.name in self.variables:
            self._add_switch(node)
        elif self._takes_references(node) and self._source(node.input[0]) in self.variables:
            self._add_resource_op(node)
        elif registry.REGISTRY.get(node.op) is identity and self._is_reference(node.input[0]):
            variable, behind = self.variables[self._source(node.input[0])]
            self._add_read(node.name, variable, [*behind, *(r[1:] for r in node.input if r.startswith("^"))], node)
        else:
            copy = self.result.node.add()
            copy.CopyFrom(node)
            self._give_values(copy)

    def _is_reference(self, reference: str) -> bool:
        return not reference.startswith("^") and self._source(reference) in self.variables

    def _give_values(self, node: Proto) -> None:
        """Make a node that reads references read values."""
        for i, reference in enumerate(node.input):
            if self._is_reference(reference):
                variable, behind = self.variables[self._source(reference)]
                name = f"{node.name}/read_{i}"
                controls = [r[1:] for r in node.input if r.startswith("^")]
                node.input[i] = name
                self._add_read(name, variable, [*behind, *controls], node)

    def _add_handle(self, node: Proto) -> None:
        handle = self.result.node.add(name=node.name, op=var_handle.name, device=node.device)
        for name in ("dtype", "shape", "container", "_class"):
            if name in node.attr:
                handle.attr[name].CopyFrom(node.attr[name])
        shared = node.attr["shared_name"].s if "shared_name" in node.attr else b""
        handle.attr["shared_name"].s = shared or node.name.encode()

    def _add_switch(self, node: Proto) -> None:
        """Convert a reference used in a branch: there it is a handle."""
        variable, behind = self.variables[self._source(node.input[0])]
        copy = self.result.node.add(
            name=node.name, op=_BRANCH.removeprefix("Ref"), device=node.device, input=[variable, *node.input[1:]]
        )
        copy.input.extend(f"^{write}" for write in behind)
        copy.attr["T"].type = dtypes.resource.enum

    def _add_read(self, name: str, variable: str, behind: Iterable[str], like: Proto) -> None:
        read = self.result.node.add(name=name, op=read_variable.name, device=like.device, input=[variable])
        read.input.extend(f"^{write}" for write in dict.fromkeys(behind))
        read.attr["dtype"].CopyFrom(self.kinds[variable])

    def _add_resource_op(self, node: Proto) -> None:
        op = resource_form(node.op)
        if op not in self.known:
            raise ValueError(f"Node '{node.name}' ({node.op}) has no form for resource variables.")
        definition, old = opdef.lookup(op), opdef.lookup(node.op)
        copy = self.result.node.add(name=node.name, op=op, device=node.device)
        behind: list[str] = []
        for i, reference in enumerate(node.input):
            if i < len(old.inputs) and old.inputs[i].is_ref and self._source(reference) in self.variables:
                variable, writes = self.variables[self._source(reference)]
                copy.input.append(variable)
                behind += writes
            else:
                copy.input.append(reference)
        self._give_values_but_handles(copy, old)
        present = set(copy.input)
        copy.input.extend(f"^{write}" for write in dict.fromkeys(behind) if f"^{write}" not in present)
        for name, value in node.attr.items():
            if name in definition.attrs or name.startswith("_"):
                copy.attr[name].CopyFrom(value)
        if "dtype" in definition.attrs and "T" in node.attr:
            copy.attr["dtype"].CopyFrom(node.attr["T"])

    def _give_values_but_handles(self, node: Proto, old: opdef.OpDef) -> None:
        handles = {i: r for i, r in enumerate(node.input) if i < len(old.inputs) and old.inputs[i].is_ref}
        for i in handles:
            node.input[i] = f"^{i}"  # not a reference while the others are processed
        self._give_values(node)
        for i, reference in handles.items():
            node.input[i] = reference
