"""`tf.compat.v1.saved_model.Builder`: writes graphs with the variables of a session as a SavedModel."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any

from google.protobuf import text_format

from reflow.api.control.printing import group
from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.graph_variables import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)
from reflow.compat.saved_model import signature_defs
from reflow.compat.train.saver import Saver
from reflow.core.tensor import Tensor
from reflow.graph.graph import SymbolicTensor
from reflow.graph.node import Node
from reflow.saved_model import constants, saved_model_proto
from reflow.saved_model.signatures import INIT_OP
from reflow.train import commit

MAIN_OP_KEY, LEGACY_INIT_OP_KEY = constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY


@export("compat.v1.saved_model.Builder", "compat.v1.saved_model.builder.SavedModelBuilder")
class Builder:
    """Writes a SavedModel: several graphs, told apart by tags, that share the variables of one session.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     y = x * tf.compat.v1.get_variable("v", initializer=3.0)
    ...     _ = session.run(tf.compat.v1.global_variables_initializer())
    ...     signature = tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": y})
    ...     builder = tf.compat.v1.saved_model.Builder(folder)
    ...     builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
    ...     _ = builder.save()
    >>> tf.saved_model.load(folder).signatures["serving_default"](x=tf.constant(2.0))["y"].numpy().item()
    6.0
    """

    def __init__(self, export_dir: Any):
        self._folder = os.fspath(export_dir)
        if os.path.exists(self._folder):
            if os.listdir(self._folder):
                raise AssertionError(
                    f"Export directory {self._folder} already exists, and isn't empty. Please choose a different "
                    "export directory, or delete all the contents of the specified directory: "
                    f"{os.listdir(self._folder)}"
                )
        else:
            os.makedirs(self._folder)
        self._meta_graphs: list = []
        self._has_variables = False

    def add_meta_graph_and_variables(
        self, sess: Any, tags: Sequence[str], signature_def_map: dict | None = None, assets_collection: Any = None,
        legacy_init_op: Any = None, clear_devices: bool = False, main_op: Any = None, strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the session's graph, and write the values of its variables."""
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        _check_signatures(signature_def_map)
        with sess.graph.as_default():
            main_op = self._main_op(main_op, legacy_init_op)
            saver = self._saver(saver)
            saver.save(
                sess, os.path.join(self._folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME),
                write_meta_graph=False, write_state=False,
            )
            self._has_variables = True
            self._add(saver, tags, signature_def_map, assets_collection, main_op, clear_devices, strip_default_attrs)

    def add_meta_graph(
        self, tags: Sequence[str], signature_def_map: dict | None = None, assets_collection: Any = None,
        legacy_init_op: Any = None, clear_devices: bool = False, main_op: Any = None, strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, which uses variables that were written before."""
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        _check_signatures(signature_def_map)
        main_op = self._main_op(main_op, legacy_init_op)
        self._add(
            self._saver(saver), tags, signature_def_map, assets_collection, main_op, clear_devices, strip_default_attrs
        )

    @staticmethod
    def _saver(saver: Saver | None) -> Saver:
        if saver is not None:
            return saver
        graph = get_default_graph()
        found = [*graph.get_collection(GraphKeys.GLOBAL_VARIABLES), *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)]
        return Saver(list({id(v): v for v in found}.values()), sharded=True, allow_empty=True)

    @staticmethod
    def _main_op(main_op: Any, legacy: Any) -> Any:
        graph = get_default_graph()
        given = legacy if main_op is None else main_op
        if main_op is not None and not isinstance(main_op, Node):
            raise TypeError(f"Expected `main_op` to be an Operation but got type {type(main_op)} instead.")
        collected = graph.get_collection(MAIN_OP_KEY) or graph.get_collection(LEGACY_INIT_OP_KEY)
        if given is None and collected:
            return collected[0]
        return given

    def _add(
        self, saver: Saver, tags: Sequence[str], signatures: dict | None, assets: Any, main_op: Any,
        clear_devices: bool, strip: bool,
    ) -> None:
        meta = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip)
        meta.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        if main_op is not None:
            meta.collection_def[MAIN_OP_KEY].node_list.value[:] = [main_op.name]
            meta.signature_def[INIT_OP].CopyFrom(signature_defs.op_signature_def(main_op, INIT_OP))
        self._add_assets(meta, assets)
        self._meta_graphs.append(meta)

    def _add_assets(self, meta: Any, assets: Any) -> None:
        """Copy files that constants of the graph name. Two of the same name get numbers; one file stays one."""
        folder = os.path.join(self._folder, constants.ASSETS_DIRECTORY)
        taken: dict[str, str] = {}
        for tensor in assets or ():
            path = _asset_path(tensor)
            name = os.path.basename(path)
            number = 0
            while taken.get(name, path) != path:
                number += 1
                name = f"{os.path.basename(path)}_{number}"
            taken[name] = path
            os.makedirs(folder, exist_ok=True)
            if not os.path.exists(os.path.join(folder, name)):
                shutil.copyfile(path, os.path.join(folder, name))
            meta.asset_file_def.add(filename=name).tensor_info.name = tensor.name

    def save(
        self, as_text: bool = False, experimental_image_format: bool = False,
        experimental_image_writer_options: Any = None,
    ):
        """Write `saved_model.pb`, or `saved_model.pbtxt`; returns its path."""
        if experimental_image_format or experimental_image_writer_options is not None:
            raise ValueError("The option `experimental_image_format` is disabled in OSS.")
        if not as_text:
            return saved_model_proto.write(self._folder, self._meta_graphs).encode()
        model = saved_model_proto.SavedModel(
            saved_model_schema_version=saved_model_proto.SCHEMA_VERSION, meta_graphs=self._meta_graphs
        )
        path = os.path.join(self._folder, saved_model_proto.TEXT_FILENAME)
        commit.replace_file(path, text_format.MessageToString(model).encode())
        return path.encode()


def _asset_path(tensor: Any) -> str:
    """The file that an asset tensor names: it must be a constant."""
    if not isinstance(tensor, Tensor):
        raise ValueError(f"Asset path tensor {tensor} is not a Tensor.")
    value = tensor.op.attrs.get("value") if isinstance(tensor, SymbolicTensor) else None
    if value is None:
        raise TypeError(f"Asset path tensor {tensor} must be a constant of strings.")
    return value.item().decode()


def _check_signatures(signatures: dict | None) -> None:
    for signature in (signatures or {}).values():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            if info.WhichOneof("encoding") is None:
                raise AssertionError(
                    f"Invalid `tensor_info`: the field `name` (or another encoding) must be set: {info}"
                )
            if not info.dtype:
                raise AssertionError(
                    f"All TensorInfo protos used in the SignatureDefs must have the `dtype` field set. Received: {info}"
                )


@export("compat.v1.saved_model.simple_save")
def simple_save(session: Any, export_dir: Any, inputs: dict, outputs: dict, legacy_init_op: Any = None) -> None:
    """Write a session's graph and variables for serving, with one signature of named inputs and outputs.

    >>> import tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     tf.compat.v1.saved_model.simple_save(session, tempfile.mkdtemp(), {"x": x}, {"y": x + 1.0})
    """
    signature = signature_defs.predict_signature_def(inputs, outputs)
    builder = Builder(export_dir)
    builder.add_meta_graph_and_variables(
        session, [constants.SERVING], {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS), main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()


@export("compat.v1.saved_model.main_op.main_op")
def main_op() -> Any:
    """An operation that initializes variables and tables: what a SavedModel may run when it is loaded.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.saved_model.main_op.main_op().type
    'NoOp'
    """
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


@export("compat.v1.saved_model.main_op_with_restore", "compat.v1.saved_model.main_op.main_op_with_restore")
def main_op_with_restore(restore_op_name: str) -> Any:
    """The `main_op`, followed by an operation that restores the variables.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.saved_model.main_op_with_restore(tf.no_op()).type
    'NoOp'
    """
    graph = get_default_graph()
    with graph.control_dependencies([main_op()]):
        return group(graph.as_graph_element(restore_op_name))
