"""`tensorflow.python.tools.freeze_graph`: a graph and a checkpoint become a GraphDef with constants for variables."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import text_format
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.meta_graph_pb2 import MetaGraphDef

from reflow.api.framework.graph_names import import_graph_def
from reflow.compat.freeze import convert_variables_to_constants, extract_sub_graph
from reflow.compat.saved_model import loader
from reflow.compat.session import Session
from reflow.core.types import Proto
from reflow.drop_in.python.tools.saved_model_utils import get_meta_graph_def
from reflow.graph.graph import Graph
from reflow.ops.kernels.control.state import var_handle
from reflow.train.checkpoint_reader import load_checkpoint


def freeze_graph(
    input_graph: Any, input_saver: Any, input_binary: bool, input_checkpoint: Any, output_node_names: str,
    restore_op_name: Any, filename_tensor_name: Any, output_graph: Any, clear_devices: bool, initializer_nodes: str,
    variable_names_whitelist: str = "", variable_names_denylist: str = "", input_meta_graph: Any = None,
    input_saved_model_dir: Any = None, saved_model_tags: str = "serve", checkpoint_version: int = 2,
) -> Proto | int:
    """Write what some nodes of a graph need, with the values of a checkpoint; -1 if a file is missing.

    Values go to variables by their names, whatever the saver's operations are called: `input_saver`, `restore_op_name`
    and `filename_tensor_name` are not needed, and both versions of checkpoints are read.

    Args:
      input_graph: file of a GraphDef. `input_meta_graph` or `input_saved_model_dir` may take its place.
      input_binary: whether it and `input_meta_graph` are binary, not text.
      input_checkpoint: the prefix of a checkpoint.
      output_node_names: nodes that are wanted, with commas between.
      output_graph: file to write, if any.
      clear_devices: whether the nodes lose their devices.
      initializer_nodes: operations to run first, with commas between.
      variable_names_whitelist, variable_names_denylist: variables that become constants, and variables that do not.
    """
    graph_def, meta = None, None
    if input_saved_model_dir:
        graph_def = get_meta_graph_def(input_saved_model_dir, saved_model_tags).graph_def
    elif input_graph:
        graph_def = _read(input_graph, GraphDef(), input_binary)
    elif input_meta_graph:
        meta = _read(input_meta_graph, MetaGraphDef(), input_binary)
    if graph_def == -1 or meta == -1:
        return -1
    return freeze_graph_with_def_protos(
        graph_def, None, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name, output_graph,
        clear_devices, initializer_nodes, variable_names_whitelist, variable_names_denylist, meta,
        input_saved_model_dir, saved_model_tags.split(","), checkpoint_version,
    )


def freeze_graph_with_def_protos(
    input_graph_def: Any, input_saver_def: Any, input_checkpoint: Any, output_node_names: str, restore_op_name: Any,
    filename_tensor_name: Any, output_graph: Any, clear_devices: bool, initializer_nodes: str,
    variable_names_whitelist: str = "", variable_names_denylist: str = "", input_meta_graph_def: Any = None,
    input_saved_model_dir: Any = None, saved_model_tags: Any = None, checkpoint_version: int = 2,
) -> Proto | int:
    """`freeze_graph` of a GraphDef or a MetaGraphDef."""
    if not input_saved_model_dir and not _exists(input_checkpoint):
        print(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
        return -1
    if not output_node_names:
        print("You need to supply the name of a node to --output_node_names.")
        return -1
    given = input_graph_def if input_meta_graph_def is None else input_meta_graph_def.graph_def
    wanted, first, chosen, spared = (
        [part for part in (names or "").replace(" ", "").split(",") if part]
        for names in (output_node_names, initializer_nodes, variable_names_whitelist, variable_names_denylist)
    )
    with Graph().as_default() as graph, Session() as session:
        if input_saved_model_dir:
            loader.load(session, saved_model_tags, input_saved_model_dir)
        else:
            # not the saver's nodes, which reach files
            import_graph_def(extract_sub_graph(given, [*wanted, *first]), name="")
            _restore(session, input_checkpoint)
        session.run(first)
        frozen = convert_variables_to_constants(session, graph.as_graph_def(), wanted, chosen or None, spared or None)
    devices = {} if clear_devices else {node.name: node.device for node in given.node}
    for node in frozen.node:
        node.device = devices.get(node.name, "")
    if output_graph:
        with open(output_graph, "wb") as file:
            file.write(frozen.SerializeToString(deterministic=True))
    return frozen


def _read(path: Any, proto: Proto, binary: bool) -> Proto | int:
    if not os.path.exists(path):
        print(f"Input graph file '{path}' does not exist!")
        return -1
    with open(path, "rb") as file:
        data = file.read()
    if binary:
        proto.ParseFromString(data)
    else:
        text_format.Merge(data.decode(), proto)
    return proto


def _exists(prefix: Any) -> bool:
    return bool(prefix) and (os.path.exists(prefix) or os.path.exists(f"{prefix}.index"))


def _restore(session: Session, prefix: Any) -> None:
    """Give each variable the value that the checkpoint has under its name."""
    reader = load_checkpoint(prefix)
    known = reader.get_variable_to_shape_map()
    for node in session.graph.get_operations():
        if node.record is var_handle and node.name in known:
            session.handle(node).write(reader.get_tensor(node.name))
