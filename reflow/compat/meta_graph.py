"""MetaGraphs: a graph with its collections and its saver, as `.meta` files and SavedModels hold it.

A collection is written in a form that fits its values: variables, queue runners and savers as serialized protos (they
have `to_proto`), tensors and operations by name, and numbers and strings directly. `import_meta_graph` restores them.
Collections with other kinds of values are omitted, with a warning.

A file is not trusted: a graph may contain the ops that savers consist of, and otherwise only ops that stay inside the
process (`reflow/graph/refusals.py`). The exception is a graph that this process itself has written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf import text_format
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.meta_graph_pb2 import MetaGraphDef
from tensorboard.compat.proto.saver_pb2 import SaverDef
from tensorboard.compat.proto.variable_pb2 import VariableDef

from reflow.api.export import export
from reflow.api.framework.graph_names import add_graph_def
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.freeze import extract_sub_graph
from reflow.compat.scoped_names import prepend_scope, strip_scope
from reflow.compat.train.queue_runners import QueueRunner, QueueRunnerDef
from reflow.compat.train.saver import Saver
from reflow.core import logging as log
from reflow.core import version
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable
from reflow.graph.graph import Graph
from reflow.graph.node import Node
from reflow.ops import opdef, registry
from reflow.train import commit
from reflow.train import kernels as checkpoint_ops
from reflow.train.saveables import name_of, saveables_of

#: collections of variables
_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MODEL_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES, GraphKeys.GLOBAL_STEP,
    GraphKeys.TRAINABLE_RESOURCE_VARIABLES,
)
#: the ops of savers, which every MetaGraph may contain
SAVER_OPS = [op.name for op in vars(checkpoint_ops).values() if isinstance(op, registry.Op)]
UNBOUND = "$unbound_inputs_"
#: the collection that names such inputs
UNBOUND_INPUTS = "unbound_inputs"
EAGER = "Exporting/importing meta graphs is not supported when eager execution is enabled."


def proto_types() -> dict[str, tuple[Any, Any]]:
    """Collection -> (class of its protos, function from a proto and a scope to the value)."""
    kinds: dict[str, tuple[Any, Any]] = dict.fromkeys(_VARIABLES, (VariableDef, Variable.from_proto))
    kinds[GraphKeys.SAVERS] = (SaverDef, Saver.from_proto)
    kinds[GraphKeys.QUEUE_RUNNERS] = (QueueRunnerDef, QueueRunner.from_proto)
    return kinds


# --- writing ----------------------------------------------------------------------------------------------------------


@export("compat.v1.train.export_meta_graph")
def export_meta_graph(
    filename: Any = None, meta_info_def: Any = None, graph_def: Any = None, saver_def: Any = None,
    collection_list: Sequence[str] | None = None, as_text: bool = False, graph: Graph | None = None,
    export_scope: str | None = None, clear_devices: bool = False, clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False, save_debug_info: bool = False, **kwargs: Any,
) -> Any:
    """A graph with its collections as a MetaGraphDef, written to `filename` if that is given.

    `export_scope` takes what lies in a name scope, with names relative to it; an input from outside becomes a
    placeholder, which the collection `unbound_inputs_col_name` names ("unbound_inputs"). `clear_extraneous_savers`
    leaves out the nodes of all savers but the one of `saver_def`.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.get_variable("x", [])
    ...     meta = tf.compat.v1.train.export_meta_graph()
    >>> sorted(meta.collection_def), meta.graph_def.node[-1].name
    (['trainable_variables', 'variables'], 'x/Read/ReadVariableOp')
    """
    inputs_key = kwargs.pop("unbound_inputs_col_name", UNBOUND_INPUTS)
    if kwargs:
        raise TypeError(f"export_meta_graph() got an unexpected keyword argument {sorted(kwargs)[0]!r}")
    if state.graph is None and graph is None and graph_def is None:
        raise RuntimeError(EAGER)
    meta = create_meta_graph_def(
        meta_info_def, graph_def, saver_def, collection_list, graph, export_scope, None, clear_extraneous_savers,
        strip_default_attrs, clear_devices,
    )
    unbound = [node.name.encode() for node in meta.graph_def.node if export_scope and node.name.startswith(UNBOUND)]
    if unbound and inputs_key:
        meta.collection_def[inputs_key].bytes_list.value.extend(unbound)
    if filename:
        _write(meta, os.fspath(filename), as_text)
    return meta


def create_meta_graph_def(
    meta_info_def: Any = None, graph_def: Any = None, saver_def: Any = None,
    collection_list: Sequence[str] | None = None, graph: Graph | None = None, export_scope: str | None = None,
    exclude_nodes: Sequence[str] | None = None, clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False, clear_devices: bool = False,
) -> Any:
    """The MetaGraphDef of a graph, as `export_meta_graph` describes it.

    Its collections leave out the values named in `exclude_nodes`.
    """
    graph = get_default_graph() if graph is None else graph
    proto = (
        graph.as_graph_def(add_shapes=True) if graph_def is None else GraphDef.FromString(graph_def.SerializeToString())
    )
    if clear_extraneous_savers:
        proto = _without_other_savers(graph, proto, saver_def)
    if export_scope:
        proto = _scoped(proto, export_scope)
    for node in proto.node if clear_devices else ():
        node.device = ""
    if strip_default_attrs:
        _strip_defaults(proto)
    meta = MetaGraphDef(graph_def=proto)
    if meta_info_def is not None:
        meta.meta_info_def.CopyFrom(meta_info_def)
    _describe(meta, strip_default_attrs)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        values = [
            v for v in graph.get_collection(key) if not exclude_nodes or getattr(v, "name", v) not in exclude_nodes
        ]
        _add_collection(meta, key, values, export_scope, saver_def if clear_extraneous_savers else None)
    if saver_def is not None and saver_def.save_tensor_name:  # a saver of no variables has no nodes
        meta.saver_def.MergeFrom(saver_def)
    _WRITTEN_HERE.add(_digest(meta.graph_def))
    return meta


#: digests of graphs written by this process. A graph that is read back unchanged is trusted: it may use all ops.
_WRITTEN_HERE: set[bytes] = set()


def _digest(graph_def: Any) -> bytes:
    return hashlib.blake2b(graph_def.SerializeToString(deterministic=True), digest_size=16).digest()


def _write(meta: Any, path: str, as_text: bool) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    content = text_format.MessageToString(meta).encode() if as_text else meta.SerializeToString()
    commit.replace_file(path, content)


def _describe(meta: Any, stripped: bool) -> None:
    """Say which version and which ops wrote the graph."""
    info = meta.meta_info_def
    info.tensorflow_version, info.tensorflow_git_version = version.TENSORFLOW, f"v{version.TENSORFLOW}"
    info.stripped_default_attrs = stripped
    if not info.stripped_op_list.op:
        info.stripped_op_list.op.extend(definitions(meta.graph_def))


def used_ops(graph_def: Any) -> set[str]:
    """The names of the ops that a GraphDef uses, itself or in functions that it calls.

    The names of these among them.
    """
    functions = {function.signature.name: function for function in graph_def.library.function}
    found: set[str] = set()
    pending = [graph_def.node]
    while pending:
        for node in pending.pop():
            called = [a.func.name for a in node.attr.values()] + [
                f.name for a in node.attr.values() for f in a.list.func
            ]
            new = {node.op, *filter(None, called)} - found
            found |= new
            pending += [functions[name].node_def for name in new if name in functions]
    return found


def definitions(graph_def: Any) -> list:
    """The OpDefs of the ops that a GraphDef uses."""
    from reflow.graph.describe import op_def

    known = set(opdef.names())
    return [op_def(opdef.lookup(name)) for name in sorted(used_ops(graph_def)) if name in known]


def _strip_defaults(proto: Any) -> None:
    """Remove attributes that have their op's default value."""
    from reflow.graph.describe import op_def

    defaults: dict[str, dict] = {}
    known = set(opdef.names())
    bodies = [function.node_def for function in proto.library.function]
    for node in (node for nodes in (proto.node, *bodies) for node in nodes):
        if node.op not in defaults:
            attrs = op_def(opdef.lookup(node.op)).attr if node.op in known else ()
            defaults[node.op] = {a.name: a.default_value for a in attrs if a.HasField("default_value")}
        for name, default in defaults[node.op].items():
            if name in node.attr and node.attr[name] == default:
                del node.attr[name]


def _scoped(proto: Any, scope: str) -> Any:
    """The nodes in a name scope, with relative names; inputs from outside become placeholders."""
    inside = f"{scope.removesuffix('/')}/"
    out = type(proto)()
    out.versions.CopyFrom(proto.versions)
    out.library.CopyFrom(proto.library)
    kinds = {node.name: node for node in proto.node}
    unbound: dict[str, str] = {}
    for node in proto.node:
        if not node.name.startswith(inside):
            continue
        copy = out.node.add()
        copy.CopyFrom(node)
        copy.name = strip_scope(node.name, scope)
        del copy.input[:]
        for reference in node.input:
            source = reference.removeprefix("^").split(":")[0]
            if source.startswith(inside):
                copy.input.append(strip_scope(reference, scope))
            elif not reference.startswith("^"):
                copy.input.append(unbound.setdefault(reference, UNBOUND + reference.replace(":", "_")))
        places = [c.decode() for c in node.attr["_class"].list.s] if "_class" in node.attr else []
        if places:
            copy.attr["_class"].list.s[:] = [strip_scope(c, scope).encode() for c in places]
    for reference, name in unbound.items():
        _add_placeholder(out, name, kinds[reference.split(":")[0]])
    return out


def _add_placeholder(out: Any, name: str, source: Any) -> None:
    node = out.node.add(name=name, op="Placeholder")
    kinds = [source.attr[a].type for a in ("dtype", "T", "DstT", "output_type") if a in source.attr]
    node.attr["dtype"].type = kinds[0] if kinds else 1
    node.attr["shape"].shape.unknown_rank = True


def _without_other_savers(graph: Graph, proto: Any, saver_def: Any) -> Any:
    """The graph without the nodes of savers, except one's. What only they needed goes too."""
    own = set() if saver_def is None else {saver_def.save_tensor_name.split(":")[0], saver_def.restore_op_name}
    others = [s.as_saver_def() for s in graph.get_collection(GraphKeys.SAVERS)]
    scopes = {d.filename_tensor_name.rpartition("/")[0] for d in others}
    scopes -= {saver_def.filename_tensor_name.rpartition("/")[0]} if saver_def is not None else set()
    kept = [n.name for n in proto.node if n.name in own or n.name.rpartition("/")[0].split("/")[0] not in scopes]
    return extract_sub_graph(proto, kept) if scopes else proto


def _add_collection(meta: Any, key: Any, values: list, scope: str | None, only_saver: Any) -> None:
    if not isinstance(key, str):
        log.warn("Only collections with string type keys will be serialized. This key has %s", type(key))
        return
    if key == GraphKeys.SAVERS and only_saver is not None:
        values = [s for s in values if s.as_saver_def().filename_tensor_name == only_saver.filename_tensor_name]
    out = meta.collection_def[key]
    try:
        _fill(out, key, values, scope)
    except (TypeError, ValueError, AttributeError) as error:
        log.warn(
            "Issue encountered when serializing %s.\nType is unsupported, or the types of the items don't "
            "match field type in CollectionDef. Note this is a warning and probably safe to ignore.\n%s", key, error,
        )
        del meta.collection_def[key]
        return
    if out.WhichOneof("kind") is None:
        del meta.collection_def[key]


def _fill(out: Any, key: str, values: list, scope: str | None) -> None:
    if key in proto_types():
        for value in values:
            proto = value.to_proto(export_scope=scope)
            if proto is not None:
                out.bytes_list.value.append(proto.SerializeToString())
        return
    if all(isinstance(v, (Tensor, Node, Variable)) for v in values):
        for value in values:
            name = value.name if scope is None else strip_scope(value.name, scope)
            if scope is None or value.name.startswith(f"{scope}/"):
                out.node_list.value.append(name)
    elif all(isinstance(v, (bytes, str)) for v in values):
        out.bytes_list.value.extend(v.encode() if isinstance(v, str) else v for v in values)
    elif all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        out.int64_list.value.extend(values)
    elif all(isinstance(v, float) for v in values):
        out.float_list.value.extend(values)
    elif all(hasattr(v, "to_proto") for v in values):
        protos = [v.to_proto(export_scope=scope) for v in values]
        out.bytes_list.value.extend(p.SerializeToString() for p in protos if p is not None)
    else:
        raise TypeError(f"Collection {key!r} has values of several kinds")


# --- reading ----------------------------------------------------------------------------------------------------------


def read_meta_graph_file(filename: Any) -> Any:
    """The MetaGraphDef in a file, binary or text."""
    path = os.fspath(filename)
    if not os.path.exists(path):
        raise OSError(f"File does not exist. Received: {path}.")
    with open(path, "rb") as file:
        content = file.read()
    try:
        return MetaGraphDef.FromString(content)
    except Exception:  # noqa: BLE001 - protobuf raises several kinds for what is no message
        try:
            return text_format.Parse(content.decode(), MetaGraphDef())
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {path}: {error}.") from error


@export("compat.v1.train.import_meta_graph")
def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None, **kwargs: Any
) -> Saver | None:
    """Add the graph and the collections of a `.meta` file or a MetaGraphDef to the default graph; returns its saver.

    Further arguments: `input_map`, as for `tf.import_graph_def`, and `restore_collections_predicate`, which says of a
    collection's name whether it is restored. None is returned if the graph has neither a saver nor variables.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.get_variable("x", [])
    ...     meta = tf.compat.v1.train.export_meta_graph(saver_def=tf.compat.v1.train.Saver().saver_def)
    >>> with tf.Graph().as_default():
    ...     saver = tf.compat.v1.train.import_meta_graph(meta)
    ...     tf.compat.v1.global_variables()[0].name
    'x:0'
    """
    return import_with_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def import_with_elements(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None,
    return_elements: Sequence[str] | None = None, assets: str | None = None, **kwargs: Any,
) -> tuple[Saver | None, Any]:
    """`import_meta_graph`, with the requested elements of the graph.

    Its tables may read files in the folder `assets`.
    """
    wanted = kwargs.pop("restore_collections_predicate", None)
    meta, scope = import_nodes(meta_graph_or_file, clear_devices, import_scope, assets, **kwargs)
    graph = get_default_graph()
    variables = import_collections(meta, graph, scope, wanted or bool)
    found = None
    if return_elements is not None:
        found = [graph.as_graph_element(prepend_scope(e, scope)) for e in return_elements]
    if meta.HasField("saver_def"):
        saver = Saver.from_proto(meta.saver_def, scope)
        saver._saveables = [s for v in variables for s in _saveables(v)]
        return saver, found
    if variables:
        return Saver(), found
    return None, found


def _saveables(variable: Any) -> list:
    sliced = getattr(variable, "_save_slice_info", None) is not None
    return saveables_of([variable] if sliced else variable, name_of(variable))


def import_nodes(
    meta_graph_or_file: Any, clear_devices: bool, scope: str | None, assets: str | None = None, input_map: Any = None,
    unbound_inputs_col_name: str | None = UNBOUND_INPUTS,
) -> tuple[Any, str]:
    """Add the nodes of a MetaGraphDef, or a file with one; returns it, and the scope in which they are."""
    if state.graph is None:
        raise RuntimeError(EAGER)
    meta = meta_graph_or_file
    if not hasattr(meta, "graph_def"):
        assets = assets or os.path.dirname(os.path.abspath(os.fspath(meta_graph_or_file)))
        meta = read_meta_graph_file(meta_graph_or_file)
    graph, unbound = get_default_graph(), unbound_inputs_col_name
    lost = meta.collection_def[unbound].bytes_list.value if unbound and unbound in meta.collection_def else ()
    missing = [name.decode() for name in lost if name.decode() not in (input_map or {})]
    if missing:
        raise ValueError(f"Graph contains unbound inputs: {missing}. Must provide these inputs through input_map.")
    proto = meta.graph_def
    allowed = True if _digest(proto) in _WRITTEN_HERE else SAVER_OPS
    if clear_devices:
        proto = GraphDef.FromString(proto.SerializeToString())
        for node in proto.node:
            node.device = ""
    prefix = graph.unique_name(scope) if scope else graph.get_name_scope()
    add_graph_def(graph, proto, input_map, f"{prefix}/" if prefix else "", allowed, assets=assets)
    return meta, prefix


def import_collections(meta: Any, graph: Graph, scope: str, wanted: Callable[[str], bool] = bool) -> list:
    """Fill the graph's collections, those that are wanted; returns the global variables among them. One variable in two
    collections is one object."""
    kinds = proto_types()
    made: dict[bytes, Any] = {}
    order = sorted(meta.collection_def, key=lambda k: k not in _VARIABLES)
    for key in filter(wanted, order):
        collection = meta.collection_def[key]
        kind = collection.WhichOneof("kind")
        if kind is None:
            log.logger.error("Cannot identify data type for collection %s. Skipping.", key)
            continue
        if kind == "bytes_list" and key in kinds:
            proto_class, build = kinds[key]
            for data in collection.bytes_list.value:
                if data not in made:
                    made[data] = build(proto_class.FromString(data), scope)
                graph.add_to_collection(key, made[data])
            continue
        for value in getattr(collection, kind).value:
            if kind == "node_list":
                value = _node(graph, prepend_scope(value, scope))
            graph.add_to_collection(key, int(value) if kind == "int64_list" else value)
    new = {id(value) for value in made.values()}
    return [v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if id(v) in new]


def _node(graph: Graph, name: str) -> Any:
    """An element of the graph by name; a variable's handle represents the variable."""
    element = graph.as_graph_element(name)
    for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
        if getattr(variable, "_handle", None) is element:
            return variable
    return element
