"""`tensorflow.python.framework.meta_graph`: MetaGraphs of name scopes, as functions that also return the variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorboard.compat.proto.op_def_pb2 import OpList

from reflow.compat import meta_graph
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.scoped_names import strip_scope
from reflow.core.types import Proto
from reflow.graph.graph import Graph

read_meta_graph_file = meta_graph.read_meta_graph_file
create_meta_graph_def = meta_graph.create_meta_graph_def


def export_scoped_meta_graph(
    filename: Any = None, graph_def: Any = None, graph: Graph | None = None, export_scope: str | None = None,
    as_text: bool = False, unbound_inputs_col_name: str | None = "unbound_inputs", clear_devices: bool = False,
    saver_def: Any = None, clear_extraneous_savers: bool = False, strip_default_attrs: bool = False,
    save_debug_info: bool = False, **kwargs: Any,
) -> tuple[Proto, dict[str, Any]]:
    """`tf.compat.v1.train.export_meta_graph`; also returns the variables of the scope, by their names in it."""
    graph = get_default_graph() if graph is None else graph
    meta = meta_graph.export_meta_graph(
        filename, graph_def=graph_def, saver_def=saver_def, as_text=as_text, graph=graph, export_scope=export_scope,
        clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info,
        unbound_inputs_col_name=unbound_inputs_col_name, **kwargs,
    )
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, export_scope and f"{export_scope.removesuffix('/')}/")
    return meta, {strip_scope(v.name, export_scope): v for v in found}


def import_scoped_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, graph: Graph | None = None, import_scope: str | None = None,
    input_map: Any = None, unbound_inputs_col_name: str | None = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> dict[str, Any]:
    """Add a MetaGraph to a graph, below a scope; returns its variables by their names in it.

    `restore_collections_predicate` says of a collection's name whether it is restored.
    """
    graph = get_default_graph() if graph is None else graph
    with graph.as_default():
        meta, scope = meta_graph.import_nodes(
            meta_graph_or_file, clear_devices, import_scope, input_map=input_map,
            unbound_inputs_col_name=unbound_inputs_col_name,
        )
        meta_graph.import_collections(meta, graph, scope, restore_collections_predicate)
        found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope and f"{scope}/")
    return {strip_scope(v.name, scope): v for v in found}


def stripped_op_list_for_graph(graph_def: Proto) -> Proto:
    """The definitions of the ops that a graph and its functions use, without descriptions."""
    return OpList(op=meta_graph.definitions(graph_def))


def ops_used_by_graph_def(graph_def: Proto) -> set[str]:
    """The names of these ops."""
    return meta_graph.used_ops(graph_def)
