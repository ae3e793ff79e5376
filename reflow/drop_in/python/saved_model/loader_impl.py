"""`tensorflow.python.saved_model.loader_impl`: what a model's files and its MetaGraphDef hold."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf.message import DecodeError
from tensorboard.compat.proto.graph_debug_info_pb2 import GraphDebugInfo

from reflow.compat.behavior import get_default_graph
from reflow.compat.saved_model.builder import LEGACY_INIT_OP_KEY, MAIN_OP_KEY
from reflow.compat.saved_model.loader import SavedModelLoader as SavedModelLoader
from reflow.compat.saved_model.loader import asset_values as get_asset_tensors  # noqa: F401 - its name here
from reflow.compat.saved_model.signature_defs import load_op_from_signature_def
from reflow.io.file_system import GFile, exists
from reflow.saved_model import constants, saved_model_proto
from reflow.saved_model.signatures import INIT_OP

TRAIN_OP_KEY, TRAIN_OP = "saved_model_train_op", "__saved_model_train_op"


def parse_saved_model_with_debug_info(export_dir: Any) -> tuple[Any, Any]:
    """A model's message, and where its nodes were made (empty if the model does not say).

    Raises:
        OSError: the model's file is missing, or one of the two is no such message.
    """
    model = saved_model_proto.read(export_dir)
    path = os.path.join(export_dir, constants.DEBUG_DIRECTORY, constants.DEBUG_INFO_FILENAME_PB)
    info = GraphDebugInfo()
    if exists(path):
        with GFile(path, "rb") as file:
            try:
                info.ParseFromString(file.read())
            except DecodeError as error:
                raise OSError(f"Cannot parse file {path}: {error}.") from error
    return model, info


def _from_signature(meta: Any, key: str, import_scope: str | None) -> Any:
    if key not in meta.signature_def:
        return None
    return load_op_from_signature_def(meta.signature_def[key], key, import_scope)


def _get_main_op_tensor(meta_graph_def_to_load: Any, init_op_key: str = MAIN_OP_KEY) -> Any:
    """The operation of a collection that has exactly one; None if there is no such collection."""
    if init_op_key not in meta_graph_def_to_load.collection_def:
        return None
    names = meta_graph_def_to_load.collection_def[init_op_key].node_list.value
    if len(names) != 1:
        raise RuntimeError(f"Expected exactly one SavedModel init op. Found {len(names)}: {names}.")
    return get_default_graph().get_collection(init_op_key)[0]


def get_init_op(meta_graph_def: Any, import_scope: str | None = None) -> Any:
    """The operation that a loaded model runs first, in the default graph; None if it names none."""
    return (
        _from_signature(meta_graph_def, INIT_OP, import_scope)
        or _get_main_op_tensor(meta_graph_def) or _get_main_op_tensor(meta_graph_def, LEGACY_INIT_OP_KEY)
    )


def get_train_op(meta_graph_def: Any, import_scope: str | None = None) -> Any:
    """The operation of a training step, in the default graph; None if the model names none."""
    found = _from_signature(meta_graph_def, TRAIN_OP, import_scope)
    return _get_main_op_tensor(meta_graph_def, TRAIN_OP_KEY) if found is None else found
