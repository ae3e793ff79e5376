"""Imports GraphDefs and function libraries as graphs.

Files are not trusted. Before anything is built, all nodes are checked: `refusals.py` says which ops a file may not
contain. Then come missing inputs, cycles, and functions that call themselves or are nested too deep. Nodes are sorted
to respect data and control edges, staying as close to the file's order as possible: Reflow runs in program order,
TensorFlow by edges.

Nodes of a function that neither a result nor `control_ret` needs are dropped; TensorFlow never runs them either.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from reflow.core import dtypes
from reflow.core.resources import HandleFacts
from reflow.core.shapes import compatible, merge
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs, Dims, Proto
from reflow.graph.export import output_places
from reflow.graph.frames import without_frames
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Graph
from reflow.graph.import_limits import check_calls, check_constants
from reflow.graph.inference import full_attrs
from reflow.graph.node import Node
from reflow.graph.proto_values import decode_attr, decode_dtype, decode_shape, output_shapes
from reflow.graph.ref_variables import upgraded
from reflow.graph.refusals import ASSETS, Allowed, allowed_ops, check_ops
from reflow.graph.symbolic import SymbolicTensor
from reflow.ops import opdef, registry
from reflow.ops.kernels.array.shaping import const
from reflow.ops.kernels.control.flow import CALLS
from reflow.ops.kernels.control.state import read_variable
from reflow.ops.registry import Op
from reflow.ops.reverse import GRADIENTS, TensorGradient

MAX_DEPTH = 100  # nested calls; each level costs some Python frames when it runs


def _called(node: Proto, functions: Collection[str]) -> list[str]:
    """The functions that a NodeDef names."""
    found = [node.op] if node.op in functions else []
    for value in node.attr.values():
        if value.WhichOneof("value") == "func":
            found.append(value.func.name)
        elif value.WhichOneof("value") == "list":
            found += [f.name for f in value.list.func]
    return found


# --- functions --------------------------------------------------------------------------------------------------------


class Library:
    """The functions of a file; each becomes a FuncGraph on first use, shared by all its callers."""

    def __init__(
        self, function_defs: Iterable[Proto], allow_unsafe: Allowed = False, assets: str | None = None,
        gradients: Mapping[str, TensorGradient] | None = None, kept: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """`gradients`: by the names under which nodes request them. `kept`: nodes of a function to keep although its
        results do not need them.
        """
        self.gradients, self.kept = gradients or {}, kept or {}
        self.protos: dict = {}
        for proto in function_defs:
            if proto.signature.name in self.protos:
                raise ValueError(f"The function '{proto.signature.name}' is defined twice.")
            self.protos[proto.signature.name] = proto
        self.allowed, self.assets = allowed_ops(allow_unsafe), assets
        self.graphs: dict[str, FuncGraph] = {}
        self.calls: dict[str, list[str]] = {}  # the callees of each function, once per call

    def load(self, names: Iterable[str], nodes: Iterable[tuple[str, Proto]] = ()) -> dict[str, FuncGraph]:
        """The graphs of the named functions and of all their callees. `nodes` are checked together with them."""
        order = self._order(names)
        check_calls(order, {name: len(self.protos[name].node_def) for name in order}, self.calls)
        inside = [(name, node) for name in order for node in self.protos[name].node_def]
        nodes = [*nodes, *inside]
        check_ops(nodes, self.protos, self.allowed, self.assets)
        check_constants(nodes)
        for name in order:
            if name not in self.graphs:
                self.graphs[name] = _FunctionReader(self, self.protos[name]).function
        return self.graphs

    def graph(self, name: str) -> FuncGraph:
        return self.graphs[name]

    def _order(self, names: Iterable[str]) -> list[str]:
        """The functions below `names`, callees first. Iterative: a file may nest functions to any depth."""
        order: dict[str, int] = {}  # name -> call depth
        for start in names:
            stack: list = [(start, None)]
            path: dict = {}
            while stack:
                name, callees = stack[-1]
                if callees is None:
                    if name in order:
                        stack.pop()
                        continue
                    if name not in self.protos:
                        caller = f", called by '{stack[-2][0]}'" if len(stack) > 1 else ""
                        raise ValueError(f"The function '{name}'{caller}, is not in the library.")
                    path[name] = None
                    called = [c for node in self.protos[name].node_def for c in _called(node, self.protos)]
                    self.calls[name] = called
                    stack[-1] = (name, iter(dict.fromkeys(called)))
                    continue
                callee = next(callees, None)
                if callee is None:
                    order[name] = 1 + max((order[c] for c in self.calls[name]), default=0)
                    path.pop(name)
                    stack.pop()
                elif callee in path:
                    cycle = [*list(path)[list(path).index(callee) :], callee]
                    raise ValueError(f"There is a cyclic dependency between functions: {' -> '.join(cycle[:10])}.")
                elif callee not in order:
                    stack.append((callee, None))
        deepest = max(order.values(), default=0)
        if deepest > MAX_DEPTH:
            raise ValueError(f"Functions are nested {deepest} deep; at most {MAX_DEPTH} is allowed.")
        return list(order)


# --- nodes ------------------------------------------------------------------------------------------------------------


class _Reader:
    """Adds NodeDefs to a graph."""

    def __init__(self, library: Library, graph: Graph, place: str) -> None:
        self.library, self.graph, self.place = library, graph, place
        self.nodes: dict = {}  # name in the file -> Node
        self.tensors: dict = {}  # reference in the file, such as "x" of an argument -> tensor
        self.places: dict = {}

    def fail(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (in {self.place})" if self.place else message)

    # --- order

    def ordered(self, protos: Sequence[Proto], given: Collection[str]) -> list:
        """The nodes, each after its inputs. `given` are references that already exist."""
        index = {}
        for i, proto in enumerate(protos):
            if proto.name in index:
                self.fail(f"Node '{proto.name}' is not unique")
            index[proto.name] = i
        waiting = [0] * len(protos)
        users: list[list[int]] = [[] for _ in protos]
        for i, proto in enumerate(protos):
            for reference in proto.input:
                source = self.source(reference)
                if reference in given or (reference[0:1] == "^" and source in given and source not in index):
                    continue
                if source not in index:
                    self.fail(f"Node '{proto.name}': Unknown input node '{reference}'")
                users[index[source]].append(i)
                waiting[i] += 1
        ready = [i for i, count in enumerate(waiting) if not count]
        heapq.heapify(ready)
        out = []
        while ready:
            i = heapq.heappop(ready)
            out.append(protos[i])
            for user in users[i]:
                waiting[user] -= 1
                if not waiting[user]:
                    heapq.heappush(ready, user)
        if len(out) < len(protos):
            stuck = [protos[i].name for i, count in enumerate(waiting) if count]
            self.fail(f"The graph has a cycle through {', '.join(stuck[:10])}{' …' if len(stuck) > 10 else ''}.")
        return out

    @staticmethod
    def source(reference: str) -> str:
        """The node (or argument) in `^node`, `node:1` or `node:output:0`."""
        return reference.removeprefix("^").split(":", 1)[0]

    # --- one node

    def add(self, proto: Proto, prefix: str = "") -> Node:
        """Add one node, whose inputs exist."""
        op_name, attrs = self._operation(proto)
        record = registry.REGISTRY[op_name]
        try:
            attrs = self._attributes(record, proto) if attrs is None else attrs
            inputs = [self.tensor(r) for r in proto.input if not r.startswith("^")]
            self._check_count(record, attrs, inputs)
            if record.only_reads:
                attrs["_handle_shape"] = _handle_dims(inputs[0], proto)
            if record.touches == ("assets",) and op_name not in self.library.allowed:
                attrs[ASSETS] = self.library.assets
            self.graph.add(record, inputs, attrs)
        except Exception as error:  # noqa: BLE001 - a file can be wrong in any way; whichever, the node is named
            raise ValueError(
                f"Node '{proto.name}' ({proto.op}){f' in {self.place}' if self.place else ''}: {error}"
            ) from error
        node = self.graph.nodes[-1]
        self._check_call(node)
        node._label = ("", prefix + proto.name)
        waits = [self.source(r) for r in proto.input if r.startswith("^")]
        node.rewrite(waits=[self.nodes[name] for name in waits if name in self.nodes])
        self._use_shapes(node, output_shapes(proto))
        self.nodes[proto.name] = node
        if proto.op in self.library.protos:  # its outputs are named like the function's
            results = self.library.protos[proto.op].signature.output_arg
            self.places[node] = {(arg.name, 0): i for i, arg in enumerate(results)}
        elif _is_resource(proto):
            self.places[node] = {(const.definition.outputs[0].name, 0): 0}
        return node

    def _operation(self, proto: Proto) -> tuple[str, Attrs | None]:
        """(op, attributes) of a node that calls a library function or is a dataset's state; (op, None) for others."""
        if _is_resource(proto):
            return _state_of_dataset(proto), {}
        if proto.op not in self.library.protos:
            return proto.op, None
        callee = self.library.graph(proto.op)
        stateful = self.library.protos[proto.op].signature.is_stateful
        return CALLS[stateful].name, {
            "f": callee,
            "Tin": [t._dtype for t in callee.inputs],
            "Tout": [t._dtype for t in callee.outputs],
        }

    def _attributes(self, record: Op, proto: Proto) -> dict:
        attrs = {}
        known = record.definition.attrs
        for name, attr in known.items():
            if name in proto.attr:
                try:
                    attrs[name] = decode_attr(attr.type, proto.attr[name], self.library.graph)
                except (ValueError, KeyError) as error:
                    raise ValueError(f"the attribute '{name}' has {error}") from error
            elif attr.default is not opdef.MISSING:
                attrs[name] = registry.decode_default(attr)
            elif name not in record.definition.inferred_attrs:
                raise ValueError(f"NodeDef missing attr '{name}' from Op<name={record.name}>")
        for name in proto.attr:
            if name not in known and not name.startswith("_"):
                raise ValueError(f"NodeDef mentions attr '{name}' not in Op<name={record.name}>")
        custom = proto.attr["_gradient_op_type"].s.decode() if "_gradient_op_type" in proto.attr else None
        if custom and custom in self.library.gradients:
            attrs["_gradient_function"] = self.library.gradients[custom]
        elif custom and record.flow != "call":
            here = custom in GRADIENTS or custom in registry.REGISTRY
            attrs["_gradient_op_type"] = custom if here else _lost_gradient(custom)
        if record is const and attrs["value"].dtype != attrs["dtype"].np_dtype:
            raise ValueError(f"the value has another type than {attrs['dtype'].name}")
        return attrs

    @staticmethod
    def _check_count(record: Op, attrs: Attrs, inputs: Sequence[Tensor]) -> None:
        wanted = 0
        for arg in record.definition.inputs:
            listed = arg.type_list_attr or arg.number_attr
            count = attrs.get(listed) if listed else 1
            if count is None:
                return  # inferred from the inputs
            wanted += len(count) if isinstance(count, list) else count
        if wanted != len(inputs):
            raise ValueError(f"it has {len(inputs)} inputs, expected {wanted}")

    def _check_call(self, node: Node) -> None:
        """Check that a call's arguments and results match its functions."""
        flow, attrs = node.record.flow, node.attrs
        given = [t._dtype for t in node.inputs]
        outs = [t._dtype for t in node.outputs]
        if flow == "call":
            pairs: list[tuple[FuncGraph, list, list | None]] = [(attrs["f"], given, outs)]
        elif flow == "branch":
            branches = attrs["branches"] if "branches" in attrs else [attrs["then_branch"], attrs["else_branch"]]
            pairs = [(b, given[1:], outs) for b in branches]
        elif flow == "loop":
            pairs = [(attrs["body"], given, given), (attrs["cond"], given, None)]
        else:
            return
        for graph, ins, results in pairs:
            takes, gives = [t._dtype for t in graph.inputs], [t._dtype for t in graph.outputs]
            if takes != ins or (results is not None and gives != results):
                self.fail(
                    f"Node '{node._label[1]}' ({node.type}) does not fit the function '{graph.name}' that it calls."
                )

    def tensor(self, reference: str) -> SymbolicTensor:
        found = self.tensors.get(reference)
        if found is not None:
            return found
        name, *rest = reference.split(":")
        node = self.nodes.get(name)
        if node is None:
            raise ValueError(f"unknown input '{reference}'")
        place = self._place(node, rest)
        if not 0 <= place < len(node.outputs):
            raise ValueError(
                f"Connecting to invalid output {rest[0] if rest else 0} of source node {name} which has "
                f"{len(node.outputs)} outputs"
            )
        return node.outputs[place]

    def _place(self, node: Node, rest: list[str]) -> int:
        """The flat position of `:1` (in a graph) or `:output:0` (in a function)."""
        if not rest:
            return 0
        if rest[0].isdigit():
            return int(rest[0])
        places = self.places.get(node)
        if places is None:
            places = self.places[node] = {
                place: i for i, place in enumerate(output_places(node.record, full_attrs(node)))
            }
        return places.get((rest[0], int(rest[1]) if len(rest) > 1 and rest[1].isdigit() else 0), -1)

    @staticmethod
    def _use_shapes(node: Node, shapes: Sequence[Dims | None] | None) -> None:
        """Apply the file's shapes where they are more specific than the rules."""
        for tensor, dims in zip(node.outputs, shapes or (), strict=False):
            if tensor._dtype.kind != "o" and compatible(tensor._dims, dims):
                tensor._dims = merge(tensor._dims, dims)

    def fix_names(self) -> None:
        """Keep the file's names for all nodes, even if they differ only in case.

        A name that the graph already has gets a number.
        """
        graph = self.graph
        taken = {n._name for n in graph.nodes[: graph._named]}
        for node in graph.nodes[graph._named :]:
            scope, label = node._label
            name = wanted = f"{scope}{label}"
            number = 0
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            taken.add(name)
            node._name = name
            graph._names.setdefault(name.lower(), 1)
        graph._named = len(graph.nodes)


def _handle_dims(handle: SymbolicTensor, proto: Proto) -> Dims | None:
    facts = handle._static
    if isinstance(facts, HandleFacts):
        return facts.dims
    shapes = output_shapes(proto) if registry.REGISTRY[proto.op] is read_variable else None
    return shapes[0] if shapes else None


def _is_resource(proto: Proto) -> bool:
    """Whether a NodeDef is a constant that is a handle."""
    return proto.op == const.name and "dtype" in proto.attr and proto.attr["dtype"].type == dtypes.resource.enum


def _state_of_dataset(proto: Proto) -> str:
    """The op that replaces a resource in a file.

    A pipeline written by TensorFlow refers to the seeds and cache memory of the process that wrote it. They no longer
    exist, so its datasets create new ones.
    """
    for handle in proto.attr["value"].tensor.resource_handle_val:
        if "SeedGenerator" in handle.maybe_type_name:
            return registry.get("DummySeedGenerator").name
        if "MemoryCache" in handle.maybe_type_name:
            return registry.get("DummyMemoryCache").name
    raise ValueError(f"Node '{proto.name}' ({proto.op}): a resource tensor in a file cannot be read")


def _lost_gradient(name: str) -> str:
    """A name registered for a gradient whose function only raises because the real one was not saved."""
    key = f"Imported>{name}"

    def gradient(*args: Any) -> NoReturn:
        raise LookupError(
            f"The custom gradient '{name}' was not saved with the function, so it cannot be differentiated."
        )

    GRADIENTS.setdefault(key, gradient)
    return key


class _FunctionReader(_Reader):
    """Builds the FuncGraph of one FunctionDef."""

    def __init__(self, library: Library, proto: Proto) -> None:
        name = proto.signature.name
        short = re.sub(r"^__inference_(.*)_\d+$", r"\1", name)
        self.function = FuncGraph(short)
        self.function.parent = None
        self.function.jit_compile = "_XlaMustCompile" in proto.attr and proto.attr["_XlaMustCompile"].b
        super().__init__(library, self.function, f"function '{name}'")
        with self.graph.as_default():
            self._read_arguments(proto)
            needed = self._needed(proto)
            for node in self.ordered([n for n in proto.node_def if n.name in needed], self.tensors):
                self.add(node)
            self.function.outputs = self._results(proto)
        self.fix_names()

    def _read_arguments(self, proto: Proto) -> None:
        input_shapes = proto.attr["_input_shapes"].list.shape if "_input_shapes" in proto.attr else ()
        for i, arg in enumerate(proto.signature.input_arg):
            if arg.type_attr or arg.number_attr or arg.type_list_attr:
                self.fail(f"The argument '{arg.name}' has no fixed type, which is not supported.")
            dtype = decode_dtype(arg.type)
            shapes = output_shapes(proto.arg_attr[i]) if i in proto.arg_attr else None
            dims = shapes[0] if shapes else decode_shape(input_shapes[i]) if i < len(input_shapes) else None
            facts = None
            if dtype.name == "resource" and arg.handle_data:
                facts = HandleFacts(decode_shape(arg.handle_data[0].shape), decode_dtype(arg.handle_data[0].dtype))
            tensor = self.function.add_input(dtype, () if dtype.kind == "o" else dims, arg.name, facts)
            self.tensors[arg.name] = self.tensors[f"{arg.name}:0"] = tensor

    def _needed(self, proto: Proto) -> set:
        """Names of the nodes that results, `control_ret` and gradients depend on."""
        by_name = {n.name: n for n in proto.node_def}
        pending = [self.source(r) for r in proto.ret.values()] + list(proto.control_ret.values())
        pending += self.library.kept.get(proto.signature.name, ())
        needed: set = set()
        while pending:
            name = pending.pop()
            if name not in needed:
                needed.add(name)
                if name in by_name:
                    pending.extend(self.source(r) for r in by_name[name].input)
        return needed

    def _results(self, proto: Proto) -> list:
        outputs = []
        for arg in proto.signature.output_arg:
            if arg.name not in proto.ret:
                self.fail(f"The result '{arg.name}' is not returned.")
            try:
                tensor = self.tensor(proto.ret[arg.name])
            except ValueError as error:
                self.fail(f"The result '{arg.name}': {error}.")
            if tensor._dtype.enum != arg.type:
                self.fail(
                    f"The result '{arg.name}' has the type {tensor._dtype.name}, declared is "
                    f"{decode_dtype(arg.type).name}."
                )
            outputs.append(tensor)
        return outputs


# --- graphs -----------------------------------------------------------------------------------------------------------


def import_graph(
    graph_def: Proto, graph: Graph, input_map: Mapping[str, Tensor] | None = None, prefix: str = "",
    allow_unsafe: Allowed = False, assets: str | None = None,
) -> _Reader:
    """Add all nodes of a GraphDef to a graph, under a name prefix.

    `input_map` replaces inputs with tensors of that graph.
    """
    graph_def = without_frames(upgraded(graph_def))
    library = Library(graph_def.library.function, allow_unsafe, assets)
    called = dict.fromkeys(c for node in graph_def.node for c in _called(node, library.protos))
    library.load(called, [("", node) for node in graph_def.node])
    graph.name_nodes()
    reader = _Reader(library, graph, "")
    for reference, tensor in (input_map or {}).items():
        name = reference.removesuffix(":0")
        reader.tensors[name] = tensor
        if ":" not in name:
            reader.tensors[f"{name}:0"] = tensor
    with graph.as_default():
        for proto in reader.ordered(list(graph_def.node), reader.tensors):
            reader.add(proto, prefix)
    reader.fix_names()
    return reader


__all__ = ["Library", "import_graph"]
