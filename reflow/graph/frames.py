"""Converts TensorFlow 1's dataflow loops and branches to `While` and `If` with functions.

A *branch* splits a value by a predicate: one output of a `Switch` node is dead, and so is everything computed from it,
up to a `Merge` node, which forwards the live input. A *loop* is a *frame*: `Enter` nodes lead into it, `Exit` nodes out
of it. Each loop variable cycles through `Merge`, `Switch` (by the loop's condition, `LoopCond`) and `NextIteration`; a
value that enters as a constant stays the same.

`without_frames` rewrites such a graph: inner loops first, then the branches of each loop's body and of the graph, inner
ones first. The nodes after a loop or branch keep their names (`while/Exit`, `cond/Merge`). Nodes in an arrangement that
TensorFlow's own functions do not produce stay, and are rejected by name as ops without a kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from reflow.core import dtypes
from reflow.core.types import Proto
from reflow.graph.ordering import in_order
from reflow.ops import opdef, registry
from reflow.ops.kernels.control import dataflow

ENTER, EXIT, LOOP_COND = dataflow.enter.name, dataflow.exit_.name, dataflow.loop_cond.name
MERGE, NEXT_ITERATION, SWITCH = dataflow.merge.name, dataflow.next_iteration.name, dataflow.switch.name
MAX_DEPTH = 100  # nested branches; each level is a walk over all nodes


def without_frames(graph_def: Proto) -> Proto:
    """A GraphDef with functional loops and branches only; the same one if there is nothing to convert."""
    if not any(_is_dataflow(node) for node in graph_def.node):
        return graph_def
    result = type(graph_def)()
    result.CopyFrom(graph_def)
    nodes = {node.name: node for node in result.node}
    if len(nodes) < len(result.node):
        return graph_def
    written = _Functions(result.library, nodes)
    order = _ordered(nodes)
    if order is None:
        return graph_def
    _Loops(nodes, order, written).replace()
    _Branches(nodes, written).replace()
    kept = [_copy(node) for node in nodes.values()]
    del result.node[:]
    result.node.extend(kept)
    for node in result.node:
        if (
            "_class" in node.attr
            and any(s.decode().removeprefix("loc:@") not in nodes for s in node.attr["_class"].list.s)
        ):
            del node.attr["_class"]
    return result


class _Unusual(Exception):
    """A loop or branch that does not have TensorFlow's usual form."""


def _copy(node: Proto) -> Proto:
    made = type(node)()
    made.CopyFrom(node)
    return made


def _source(reference: str) -> str:
    return reference.removeprefix("^").split(":", 1)[0]


def _is_dataflow(node: Proto) -> bool:
    record = registry.REGISTRY.get(node.op)
    return record is not None and record.dataflow


def _is_constant(node: Proto) -> bool:
    return registry.REGISTRY.get(node.op) is registry.get("Const")


def _is_identity(node: Proto) -> bool:
    record = registry.REGISTRY.get(node.op)
    return record is not None and record.identity


def _place(reference: str) -> int:
    """The output number in a reference; -1 for a control edge."""
    if reference.startswith("^"):
        return -1
    _, _, number = reference.partition(":")
    return int(number) if number.isdigit() else 0


def _data(node: Proto) -> list[str]:
    return [r for r in node.input if not r.startswith("^")]


def _waits(node: Proto) -> list[str]:
    return [r for r in node.input if r.startswith("^")]


def _ordered(nodes: dict[str, Proto]) -> list[str] | None:
    """The node names, each after its inputs, ignoring the edges that close a loop; None if there are other cycles."""
    def needed(node: Proto) -> list[str]:
        sources = [source for source in map(_source, node.input) if source in nodes]
        return [source for source in sources if not (node.op == MERGE and nodes[source].op == NEXT_ITERATION)]

    order = in_order({name: needed(node) for name, node in nodes.items()})
    return order if len(order) == len(nodes) else None


class _Functions:
    """Adds functions, and nodes that call them, under unused names."""

    def __init__(self, library: Proto, nodes: dict[str, Proto]) -> None:
        self.library, self.node_type = library, type(next(iter(nodes.values())))
        self.taken = {*nodes, *(f.signature.name for f in library.function)}

    def name(self, wanted: str) -> str:
        name, number = wanted, 0
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name

    def add(
        self, wanted: str, nodes: Iterable[Proto], kinds: Sequence[int], results: Sequence[tuple[str, int]],
        effects: Iterable[str] = (),
    ) -> str:
        """Add a function and return its name.

        Its arguments `arg_<i>` have types; `results` are references with types; `effects` are nodes that run although
        no result needs them.
        """
        made = self.library.function.add()
        made.signature.name = self.name(wanted.replace("/", "_"))
        for i, kind in enumerate(kinds):
            made.signature.input_arg.add(name=f"arg_{i}", type=kind)
        for i, (reference, kind) in enumerate(results):
            made.signature.output_arg.add(name=f"result_{i}", type=kind)
            made.ret[f"result_{i}"] = reference
        for effect in effects:
            made.control_ret[effect] = effect
            made.signature.control_output.append(effect)
        made.node_def.extend(nodes)
        return made.signature.name

    def node(self, name: str, op: str, inputs: Iterable[str], **types: Any) -> Proto:
        """A node with attributes that are types or lists of types."""
        made = self.node_type(name=name, op=op, input=list(inputs))
        for key, value in types.items():
            if isinstance(value, int):
                made.attr[key].type = value
            else:
                made.attr[key].list.type.extend(value)
                made.attr[key].list.SetInParent()
        return made


def _is_stateful(nodes: Iterable[Proto]) -> bool:
    """Whether any op is stateful."""
    known = [registry.REGISTRY.get(node.op) for node in nodes]
    return any(record is None or record.stateful for record in known)


class _Slice:
    """The nodes that some references need, up to references that become arguments of a function."""

    def __init__(
        self, nodes: dict[str, Proto], arguments: dict[str, str], borders: set[str], inside: set[str] | None
    ) -> None:
        """`arguments`: reference -> argument. `borders`: outside nodes; waiting for one means waiting for the
        function's start. `inside`: the only nodes, besides constants, that may be reached.
        """
        self.nodes, self.arguments, self.borders, self.inside = nodes, arguments, borders, inside
        self.found: dict[str, Proto] = {}

    def reference(self, reference: str) -> str:
        """The reference inside the function."""
        plain = reference.removesuffix(":0")
        return self.arguments.get(plain, plain)

    def collect(self, references: Iterable[str]) -> None:
        stack = list(references)
        while stack:
            reference = stack.pop()
            name = _source(reference)
            if reference.removesuffix(":0") in self.arguments or name in self.found:
                continue
            node = self.nodes.get(name)
            if (
                node is None or name in self.borders
                or self.inside is not None and name not in self.inside and not _is_constant(node)
            ):
                raise _Unusual(reference)
            copied = self.found[name] = _copy(node)
            inputs = [
                r for r in node.input
                if not (r.startswith("^") and (r[1:] in self.borders or self.arguments.get(r[1:])))
            ]
            stack += inputs
            del copied.input[:]
            copied.input.extend(map(self.reference, inputs))


# --- loops


class _Variable(NamedTuple):
    """A loop variable."""

    enter: Proto
    merge: Proto
    switch: Proto | None
    following: Proto


class _Loops:
    """Replaces the loops of a graph by `While` nodes and the functions that these call."""

    def __init__(self, nodes: dict[str, Proto], order: Sequence[str], written: _Functions) -> None:
        self.nodes, self.written = nodes, written
        self.frames: dict[str, tuple[str, ...]] = {}  # node -> the frames that contain it, outermost first
        for name in order:
            node = nodes[name]
            around = max((self.frames.get(_source(r), ()) for r in node.input), key=len, default=())
            if node.op == ENTER:
                around = (*around, node.attr["frame_name"].s.decode())
            self.frames[name] = around[:-1] if node.op == EXIT else around

    def replace(self) -> None:
        """Convert all loops of the usual form, inner ones first."""
        for frame in sorted(set(self.frames.values()) - {()}, key=len, reverse=True):
            try:
                self._replace(frame)
            except (_Unusual, IndexError):
                continue

    def _replace(self, frame: tuple[str, ...]) -> None:
        members = {name for name, path in self.frames.items() if path == frame and name in self.nodes}
        inside = [self.nodes[name] for name in members]
        conditions = [n for n in inside if n.op == LOOP_COND]
        enters = sorted((n for n in inside if n.op == ENTER), key=lambda n: n.name)
        if len(conditions) != 1:
            raise _Unusual(frame[-1])
        merges = sorted((n for n in inside if n.op == MERGE and self._goes_round(n)), key=lambda n: n.name)
        variables = [self._variable(n, inside, conditions[0]) for n in merges]
        starting = {v.enter.name for v in variables}
        enters = [*(v.enter for v in variables), *(e for e in enters if e.name not in starting)]
        kinds = [e.attr["T"].type for e in enters]
        arguments = {e.name: f"arg_{i}" for i, e in enumerate(enters)}
        for i, variable in enumerate(variables):
            arguments[variable.merge.name] = f"arg_{i}"
            if variable.switch is not None:
                arguments[f"{variable.switch.name}:1"] = f"arg_{i}"
        borders = {n.name for n in inside if n.op in (ENTER, LOOP_COND, NEXT_ITERATION)} | {
            v.merge.name for v in variables
        }
        borders |= {v.switch.name for v in variables if v.switch is not None}
        exits = self._exits(variables, arguments, borders, members)
        functions = [self._function(
            frame[-1], _data(conditions[0])[:1], [_BOOL], kinds, _Slice(self.nodes, arguments, borders, members)
        )]
        rounds, body = [_data(v.following)[0] for v in variables], _Slice(self.nodes, arguments, borders, members)
        effects = {w[1:] for v in variables for w in _waits(v.following)} - borders
        functions.append(self._function(frame[-1], rounds, kinds, kinds, body, sorted(effects)))
        loop = self._put_loop(frame, enters, kinds, functions)
        for name in members:
            del self.nodes[name]
        for node in exits:
            node.input[:] = [loop + r.removeprefix(_LOOP) if r.startswith(_LOOP) else r for r in node.input]
            self.nodes[node.name], self.frames[node.name] = node, frame[:-1]

    def _function(
        self, frame: str, wanted: Sequence[str], types: Sequence[int], kinds: Sequence[int], part: _Slice,
        effects: Sequence[str] = (),
    ) -> tuple[str, bool]:
        """The condition or the body, which forwards the constants: its name, and whether it is stateful."""
        part.collect([*wanted, *(f"^{e}" for e in effects)])
        _Branches(part.found, self.written).replace()
        results = [part.reference(r) for r in wanted]
        results += [f"arg_{i}" for i in range(len(results), len(types))]
        made = self.written.add(
            f"{frame}_function", part.found.values(), kinds, list(zip(results, types, strict=True)), effects
        )
        return made, _is_stateful(part.found.values())

    def _exits(
        self, variables: Sequence[_Variable], arguments: dict[str, str], borders: set[str], members: set[str]
    ) -> list[Proto]:
        """The nodes after the loop, under their names; and what is computed on the way there, which is live only in the
        last iteration.
        """
        last = {v.switch.name: f"{_LOOP}:{i}" for i, v in enumerate(variables) if v.switch is not None}
        entered = {name: argument for name, argument in arguments.items() if self.nodes[_source(name)].op == ENTER}
        last |= {name: f"{_LOOP}:{argument.removeprefix('arg_')}" for name, argument in entered.items()}
        part = _Slice(self.nodes, last, borders, members)
        made = []
        for node in list(self.nodes.values()):
            if node.op == EXIT and _source(node.input[0]) in members:
                part.collect([node.input[0]])
                made.append(self.written.node(
                    node.name, "Identity", [part.reference(node.input[0]), *_waits(node)], T=node.attr["T"].type
                ))
        return [*made, *part.found.values()]

    def _goes_round(self, merge: Proto) -> bool:
        return any(_source(r) in self.nodes and self.nodes[_source(r)].op == NEXT_ITERATION for r in _data(merge))

    def _variable(self, merge: Proto, inside: Sequence[Proto], condition: Proto) -> _Variable:
        sources = [self.nodes[_source(r)] for r in _data(merge)]
        enters, following = [n for n in sources if n.op == ENTER], [n for n in sources if n.op == NEXT_ITERATION]
        switches = [
            n for n in inside
            if n.op == SWITCH and _source(n.input[0]) == merge.name and _source(n.input[1]) == condition.name
        ]
        if len(enters) != 1 or len(following) != 1 or len(switches) > 1:
            raise _Unusual(merge.name)
        return _Variable(enters[0], merge, switches[0] if switches else None, following[0])

    def _put_loop(
        self, frame: tuple[str, ...], enters: Sequence[Proto], kinds: Sequence[int],
        functions: Sequence[tuple[str, bool]],
    ) -> str:
        """Add the `While` node outside of the frame; returns its name."""
        waits = dict.fromkeys(w for e in enters for w in _waits(e))
        op = "While" if any(stateful for _, stateful in functions) else "StatelessWhile"
        name = self.written.name(f"{frame[-1]}/While" if frame[-1] else "While")
        made = self.written.node(name, op, [*(_data(e)[0] for e in enters), *waits], T=kinds)
        made.attr["cond"].func.name, made.attr["body"].func.name = functions[0][0], functions[1][0]
        made.attr["parallel_iterations"].i = enters[0].attr["parallel_iterations"].i or 10
        self.nodes[name], self.frames[name] = made, frame[:-1]
        return name


_LOOP = "*loop"  # placeholder for a loop that has no name yet
_BOOL = dtypes.bool_.enum


# --- branches


class _Branches:
    """Replaces the branches of a graph, or of a loop's function, by `If` nodes and the functions that these call."""

    def __init__(self, nodes: dict[str, Proto], written: _Functions) -> None:
        self.nodes, self.written = nodes, written
        self.depths: dict[str, int] = {}  # node -> how many branches contain it

    def replace(self) -> None:
        """Convert all branches of the usual form, inner ones first; then remove what only the old nodes needed."""
        if not any(node.op == SWITCH for node in self.nodes.values()):
            return
        for _ in range(MAX_DEPTH):
            if not self._measure():
                return
            merges = {n.name: self._depth_of_inputs(n) for n in self.nodes.values() if n.op == MERGE}
            deepest = max(merges.values(), default=0)
            if not deepest:
                break
            try:
                for group in self._groups([m for m, depth in merges.items() if depth == deepest], deepest):
                    self._replace(group, deepest)
            except (_Unusual, IndexError):
                return
        self._measure()
        dead = {name for name, node in self.nodes.items() if self.depths[name] or node.op == SWITCH}
        if not any(_source(r) in dead for name, node in self.nodes.items() if name not in dead for r in node.input):
            for name in dead:
                del self.nodes[name]

    def _measure(self) -> bool:
        order = _ordered(self.nodes)
        self.depths = {}
        for name in order or ():
            depth = self._depth_of_inputs(self.nodes[name])
            self.depths[name] = (
                depth + 1 if self.nodes[name].op == SWITCH else depth - 1 if self.nodes[name].op == MERGE else depth
            )
        return order is not None

    def _depth_of_inputs(self, node: Proto) -> int:
        return max((self.depths.get(_source(r), 0) for r in node.input), default=0)

    def _groups(self, merges: Sequence[str], depth: int) -> list[list[str]]:
        """Group the merges of one branch: their inputs have a `Switch` in common."""
        groups: list[tuple[set[str], list[str]]] = []
        for merge in merges:
            switches = self._switches(self.nodes[merge].input, depth)
            joined = [g for g in groups if g[0] & switches]
            groups = [g for g in groups if not g[0] & switches]
            groups.append((switches.union(*(g[0] for g in joined)), [m for g in joined for m in g[1]] + [merge]))
        return [members for _, members in groups]

    def _walk(self, references: Iterable[str], depth: int) -> Iterator[str]:
        """The references that others come from, back to the `Switch` nodes of a depth, or to what is outside."""
        stack, expanded = list(references), set()
        while stack:
            reference = stack.pop()
            yield reference
            name = _source(reference)
            if name not in expanded and not self._is_outside(name, depth) and not self._is_switch(name, depth):
                expanded.add(name)
                stack += self.nodes[name].input

    def _is_outside(self, name: str, depth: int) -> bool:
        return name not in self.nodes or self.depths.get(name, 0) < depth

    def _is_switch(self, name: str, depth: int) -> bool:
        """Whether a node is a `Switch` of a depth, where its branch begins."""
        return name in self.nodes and self.nodes[name].op == SWITCH and self.depths.get(name) == depth

    def _switches(self, references: Iterable[str], depth: int) -> set[str]:
        """The `Switch` nodes at a depth that references come from."""
        return {name for name in map(_source, self._walk(references, depth)) if self._is_switch(name, depth)}

    def _replace(self, merges: Sequence[str], depth: int) -> None:
        nodes = [self.nodes[m] for m in merges]
        switches = sorted(self._switches([r for n in nodes for r in n.input], depth))
        predicates = {self._plain(self.nodes[s].input[1]) for s in switches}
        if len(predicates) != 1 or any(len(_data(n)) != 2 for n in nodes):
            raise _Unusual(merges[0])
        sides = self._sides(nodes, depth)
        captured: dict[str, int] = {}  # reference outside -> its type
        for s in switches:
            captured[self.nodes[s].input[0].removesuffix(":0")] = self.nodes[s].attr["T"].type
        self._find_outside(nodes, depth, captured)
        places = {reference: i for i, reference in enumerate(captured)}
        kinds, outs = list(captured.values()), [n.attr["T"].type for n in nodes]
        inside = {name for name, d in self.depths.items() if d >= depth}
        functions = []
        for side in (1, 0):  # then, else
            arguments = {reference: f"arg_{i}" for reference, i in places.items()}
            for s in switches:
                output = f"{s}:1" if side else s
                arguments[output] = f"arg_{places[self.nodes[s].input[0].removesuffix(':0')]}"
            wanted = [_data(n)[sides.index(side)] for n in nodes]
            part = _Slice(self.nodes, arguments, set(switches), inside)
            part.collect(wanted)
            results = [(part.reference(r), t) for r, t in zip(wanted, outs, strict=True)]
            label = f"{merges[0]}_{'true' if side else 'false'}"
            functions.append(
                (self.written.add(label, part.found.values(), kinds, results), _is_stateful(part.found.values()))
            )
        self._put_branch(nodes, next(iter(predicates)), switches, list(captured), kinds, outs, functions)

    def _sides(self, merges: Sequence[Proto], depth: int) -> list[int]:
        """For each merge, which value of the predicate its first and its second input belong to."""
        for merge in merges:
            for place, reference in enumerate(_data(merge)):
                used = self._outputs_used(reference, depth)
                if len(used) == 1:
                    (side,) = used
                    return [side, 1 - side] if place == 0 else [1 - side, side]
        raise _Unusual(merges[0].name)

    def _outputs_used(self, reference: str, depth: int) -> set[int]:
        """The outputs of `Switch` nodes at a depth that a reference comes from, without control edges."""
        found = {_place(r) for r in self._walk([reference], depth) if self._is_switch(_source(r), depth)}
        return found - {-1}

    def _find_outside(self, merges: Sequence[Proto], depth: int, captured: dict[str, int]) -> None:
        """Collect what the branches use without a `Switch` in between; constants are copied."""
        for reference in self._walk([r for m in merges for r in m.input], depth):
            name = _source(reference)
            if reference.startswith("^") or not self._is_outside(name, depth):
                continue
            if name not in self.nodes or not _is_constant(self.nodes[name]):
                captured.setdefault(reference.removesuffix(":0"), self._type(reference))

    def _type(self, reference: str) -> int:
        """The type of a node's output."""
        node = self.nodes.get(_source(reference))
        if node is None or node.op not in opdef.names():
            raise _Unusual(reference)
        outputs = opdef.lookup(node.op).outputs
        if any(arg.number_attr or arg.type_list_attr for arg in outputs):
            raise _Unusual(reference)
        arg = outputs[_place(reference)]
        return int(node.attr[arg.type_attr].type) if arg.type_attr else dtypes.as_dtype(arg.type).enum

    def _plain(self, reference: str) -> str:
        """A reference behind any number of `Identity` nodes."""
        seen = set()
        while (node := self.nodes.get(_source(reference))) is not None and _is_identity(node) and node.name not in seen:
            seen.add(node.name)
            reference = node.input[0]
        return reference.removesuffix(":0")

    def _put_branch(
        self, merges: Sequence[Proto], predicate: str, switches: Sequence[str], captured: Sequence[str],
        kinds: Sequence[int], outs: Sequence[int], functions: Sequence[tuple[str, bool]],
    ) -> None:
        waits = dict.fromkeys(w for s in switches for w in _waits(self.nodes[s]))
        op = "If" if any(stateful for _, stateful in functions) else "StatelessIf"
        name = self.written.name(f"{merges[0].name}/If")
        made = self.written.node(name, op, [predicate, *captured, *waits], Tcond=_BOOL, Tin=kinds, Tout=outs)
        made.attr["then_branch"].func.name, made.attr["else_branch"].func.name = functions[0][0], functions[1][0]
        self.nodes[name] = made
        for i, merge in enumerate(merges):
            self.nodes[merge.name] = self.written.node(
                merge.name, "Identity", [f"{name}:{i}", *_waits(merge)], T=outs[i]
            )
