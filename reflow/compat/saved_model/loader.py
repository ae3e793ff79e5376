"""`tf.compat.v1.saved_model.load`: loads a SavedModel's graph and variables into a session."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tensorboard.compat.proto.meta_graph_pb2 import AssetFileDef

from reflow.api.export import export
from reflow.compat.graph_variables import global_variables
from reflow.compat.meta_graph import import_with_elements
from reflow.compat.saved_model.builder import LEGACY_INIT_OP_KEY, MAIN_OP_KEY
from reflow.compat.scoped_names import prepend_scope
from reflow.compat.train.saver import Saver
from reflow.core.logging import logger
from reflow.saved_model import constants, saved_model_proto
from reflow.saved_model.asset import checked_path
from reflow.saved_model.loading import contains_saved_model
from reflow.saved_model.signatures import INIT_OP
from reflow.train.checkpoint_state import checkpoint_exists


@export("compat.v1.saved_model.maybe_saved_model_directory", "compat.v1.saved_model.loader.maybe_saved_model_directory")
def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder has the file of a SavedModel.

    >>> tf.compat.v1.saved_model.maybe_saved_model_directory("/no/such/folder")
    False
    """
    return contains_saved_model(export_dir)


@export("compat.v1.saved_model.load", "compat.v1.saved_model.loader.load")
def load(sess: Any, tags: Sequence[str], export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any) -> Any:
    """Add the graph with some tags to a session's graph, restore its variables and run its initializers; returns its
    MetaGraphDef.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    ...     tf.compat.v1.saved_model.simple_save(session, folder, {"x": x}, {"y": tf.identity(x + 1.0, name="y")})
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     meta = tf.compat.v1.saved_model.load(session, ["serve"], folder)
    ...     session.run("y:0", {"x:0": 2.0}).item()
    3.0
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


def asset_values(folder: str, meta: Any, import_scope: str | None = None) -> dict[str, str]:
    """The paths of a model's assets by the names of their tensors."""
    assets = list(meta.asset_file_def)
    if not assets and constants.ASSETS_KEY in meta.collection_def:  # where builders before TensorFlow 2 put them
        packed = meta.collection_def[constants.ASSETS_KEY].any_list.value
        assets = [AssetFileDef.FromString(any_proto.value) for any_proto in packed]
    return {
        prepend_scope(asset.tensor_info.name, import_scope): checked_path(folder, asset.filename) for asset in assets
    }


def init_op_name(meta: Any) -> str | None:
    """The operation that a model runs when it has been loaded, if it names one."""
    if INIT_OP in meta.signature_def:
        return meta.signature_def[INIT_OP].outputs[INIT_OP].name
    for key in (MAIN_OP_KEY, LEGACY_INIT_OP_KEY):
        if key in meta.collection_def:
            names = meta.collection_def[key].node_list.value
            if len(names) != 1:
                raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {list(names)}.")
            return names[0]
    return None


class SavedModelLoader:
    """Loads in steps: the graph, the variables, the initializers."""

    def __init__(self, export_dir: Any) -> None:
        self._folder = os.fspath(export_dir)
        self._model = saved_model_proto.read(self._folder)

    export_dir = property(lambda self: self._folder)
    variables_path = property(
        lambda self: os.path.join(self._folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
    )
    saved_model = property(lambda self: self._model)
    _assets = property(lambda self: os.path.join(self._folder, constants.ASSETS_DIRECTORY))

    def get_meta_graph_def_from_tags(self, tags: Sequence[str] | str) -> Any:
        """The MetaGraphDef that has exactly these tags."""
        wanted = {tags} if isinstance(tags, str) else set(tags)
        for meta in self._model.meta_graphs:
            if set(meta.meta_info_def.tags) == wanted:
                return meta
        available = [list(meta.meta_info_def.tags) for meta in self._model.meta_graphs]
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in SavedModel, with "
            f"available tags '{available}'. To inspect available tag-sets in the SavedModel, please use the SavedModel "
            "CLI: `saved_model_cli`."
        )

    def load_graph(
        self, graph: Any, tags: Sequence[str], import_scope: str | None = None, **saver_kwargs: Any
    ) -> tuple:
        """Add the graph; returns its saver, and the elements named by `return_elements`."""
        meta = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return import_with_elements(meta, import_scope=import_scope, assets=self._assets, **saver_kwargs)

    def restore_variables(self, sess: Any, saver: Any, import_scope: str | None = None) -> None:
        """Give the variables their values."""
        with sess.graph.as_default():
            if saver is not None and not isinstance(saver, Saver) or saver is None and global_variables(import_scope):
                raise ValueError(
                    "No tf.train.Saver object was passed to the function `SavedModelLoader.restore_variables`. Since "
                    "there are variables in the graph, a saver is required."
                )
            if saver is None or not checkpoint_exists(self.variables_path):
                logger.info("The specified SavedModel has no variables; no checkpoints were restored.")
                return
            saver.restore(sess, self.variables_path)

    def run_init_ops(self, sess: Any, tags: Sequence[str], import_scope: str | None = None) -> None:
        """Run what initializes tables and other resources."""
        meta = self.get_meta_graph_def_from_tags(tags)
        name = init_op_name(meta)
        if name is not None:
            feeds = asset_values(self._folder, meta, import_scope)
            sess.run(sess.graph.as_graph_element(prepend_scope(name, import_scope)), feeds)

    def load(self, sess: Any, tags: Sequence[str], import_scope: str | None = None, **saver_kwargs: Any) -> Any:
        saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
        self.restore_variables(sess, saver, import_scope)
        self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)
