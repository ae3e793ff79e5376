"""`tf.compat.v1.train.Saver`: saves a session's variables in checkpoints, by name.

In a graph a saver is a few nodes (`saver_ops`) and a `SaverDef` that names them; saving and restoring runs these nodes
in a session. In eager code the same ops run immediately.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from tensorboard.compat.proto.saver_pb2 import SaverDef

from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.train import saver_ops
from reflow.core import errors
from reflow.core.context import state
from reflow.core.logging import logger
from reflow.eager.variables import Variable
from reflow.train import checkpoint_state, saveables
from reflow.train.checkpoint_reader import object_graph_key_mapping
from reflow.train.restore import forget_reader

_MISSING = (
    "Restoring from checkpoint failed. This is most likely due to a Variable name or other graph key that is missing "
    "from the checkpoint. Please ensure that you have not altered the graph expected based on the "
    "checkpoint. Original error:\n\n"
)
_MISMATCH = (
    "Restoring from checkpoint failed. This is most likely due to a mismatch between the current graph and the graph "
    "from the checkpoint. Please ensure that you have not altered the graph expected based on the "
    "checkpoint. Original error:\n\n"
)


@export("compat.v1.train.Saver")
class Saver:
    """Writes the variables of a session to checkpoints, by their names, and reads them back.

    `var_list` holds variables, or variables by the names they have in the file; all that can be saved if it is None.
    The files are TensorFlow's: `prefix.index`, `prefix.data-00000-of-00001` (one a device if `sharded`), `prefix.meta`
    with the graph, and `checkpoint`, which names the latest. The last `max_to_keep` checkpoints stay, and one for every
    `keep_checkpoint_every_n_hours`. `reshape` lets a variable take a value of another shape with as many elements.
    `builder` may be an object whose method `build(saveables, saver_def, name, filename, reshape)` adds the nodes in
    place of Reflow. `restore_sequentially` has no effect.

    >>> import tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     saver = tf.compat.v1.train.Saver()
    ...     _ = session.run(v.initializer)
    ...     path = saver.save(session, tempfile.mkdtemp() + "/model", global_step=7)
    ...     _ = session.run(v.assign(0.0))
    ...     saver.restore(session, path)
    ...     path.endswith("model-7"), session.run(v).item()
    (True, 3.0)
    """

    def __init__(
        self, var_list: Any = None, reshape: bool = False, sharded: bool = False, max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None, restore_sequentially: bool = False,
        saver_def: Any = None, builder: Any = None, defer_build: bool = False, allow_empty: bool = False,
        write_version: int = SaverDef.V2, pad_step_number: bool = False, save_relative_paths: bool = False,
        filename: str | None = None,
    ):
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        if state.graph is None and var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
            )
        self._given, self._allow_empty, self._reshape = var_list, allow_empty, reshape
        self._name, self._filename, self._builder = name, filename, builder
        self._pad, self._relative = pad_step_number, save_relative_paths
        self._empty = False
        self._saveables: list[saveables.SaveableObject] = []
        self.saver_def: Any = None
        self._options = SaverDef(
            max_to_keep=max_to_keep or 0, keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours, sharded=sharded,
            version=write_version,
        )
        self._written: list = []  # (prefix, time)
        self._to_delete: list = []
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600
        if saver_def is not None:
            self._take(saver_def)
        elif not defer_build and state.graph is not None:
            self.build()

    def _take(self, saver_def: Any) -> None:
        """Use the nodes that a SaverDef names."""
        if not hasattr(saver_def, "restore_op_name"):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}")
        for field in ("save_tensor_name", "restore_op_name"):
            if not getattr(saver_def, field):
                raise ValueError(f"saver_def must specify the {field}: {saver_def}")
        self.saver_def = SaverDef.FromString(saver_def.SerializeToString())
        self._options = self.saver_def
        self._next_kept = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

    def build(self) -> None:
        """Add the nodes to the graph, for a saver that was made with `defer_build`."""
        if state.graph is None:
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self.saver_def is not None:
            return
        given = self._given
        if given is None:
            graph = get_default_graph()
            keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.SAVEABLE_OBJECTS)
            given = list({id(v): v for key in keys for v in graph.get_collection(key)}.values())
        if not given:
            if not self._allow_empty:
                raise ValueError("No variables to save")
            self._empty = True
            self.saver_def = self._options
            return
        self._find(given)
        add = saver_ops.add_saver if self._builder is None else self._builder.build
        self.saver_def = add(self._saveables, self._options, self._name, self._filename, self._reshape)

    def _find(self, given: Any) -> None:
        named = given if isinstance(given, dict) else saveables.by_name(given)
        self._saveables = saveables.all_saveables(named)
        if not self._saveables:
            self._empty = True

    last_checkpoints = property(lambda self: [prefix for prefix, _ in self._written])

    def set_last_checkpoints(self, last_checkpoints: list) -> None:
        """Take over a list of checkpoints that exist."""
        if not isinstance(last_checkpoints, list):
            raise AssertionError(f"`last_checkpoints` must be a list. Received: {last_checkpoints!r}")
        self._written = [(prefix, np.inf) for prefix in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list) -> None:
        """Take over a list of (prefix, time of writing)."""
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError(
                f"`last_checkpoints_with_time` must be a list. Received: {last_checkpoints_with_time!r}"
            )
        self._written = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: list) -> None:
        """Take over a list of checkpoints, as far as they exist."""
        there = [path for path in checkpoint_paths if checkpoint_state.checkpoint_exists(path)]
        self.set_last_checkpoints_with_time(
            list(zip(there, checkpoint_state.get_checkpoint_mtimes(there), strict=True))
        )

    # --- saving

    def save(
        self, sess: Any, save_path: Any, global_step: Any = None, latest_filename: str | None = None,
        meta_graph_suffix: str = "meta", write_meta_graph: bool = True, write_state: bool = True,
        strip_default_attrs: bool = False, save_debug_info: bool = False,
    ) -> str | None:
        """Write a checkpoint; returns its prefix."""
        latest_filename = latest_filename or "checkpoint"
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        given = os.fspath(save_path)
        prefix = given + self._step_suffix(sess, global_step)
        if global_step is None and os.path.basename(given) == latest_filename:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{given}'")
        self._check_folder(prefix)
        written = None
        if not self._empty:
            written = self._write(sess, prefix)
            if write_state:
                self._remember(written)
                self._update_state(written, latest_filename)
                self._delete_old(meta_graph_suffix)
        if write_meta_graph and (state.graph is not None or hasattr(sess, "graph")):
            self._write_meta_graph(sess, f"{prefix}.{meta_graph_suffix}", strip_default_attrs, save_debug_info)
        return written

    def _step_suffix(self, sess: Any, global_step: Any) -> str:
        if global_step is None:
            return ""
        number = isinstance(global_step, (int, np.integer, np.ndarray))
        if not number:
            global_step = global_step.numpy() if sess is None else sess.run(global_step)
        return f"-{int(global_step):08d}" if self._pad else f"-{int(global_step)}"

    @staticmethod
    def _check_folder(prefix: str) -> None:
        folder = os.path.dirname(prefix)
        if folder and not os.path.isdir(folder) and os.path.isdir(os.path.dirname(folder) or "."):
            os.mkdir(folder)  # one level, as TensorFlow does
        if folder and not os.path.isdir(folder):
            raise ValueError(f"Parent directory of {prefix} doesn't exist, can't save.")

    def _write(self, sess: Any, prefix: str) -> str:
        """Write the values; returns the path, which is a pattern of files for shards of version 1."""
        if self.saver_def is None:
            if state.graph is not None:
                raise RuntimeError("The Saver was made with defer_build: call build() before save() and restore().")
            self._find(self._given)
            saver_ops.save_values(prefix, self._saveables, self._options.version)
            return prefix
        if sess is None:
            raise TypeError("'sess' must be a Session; None")
        return os.fsdecode(sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: prefix}))

    def _write_meta_graph(self, sess: Any, path: str, strip_default_attrs: bool, save_debug_info: bool) -> None:
        graph = state.graph if sess is None else sess.graph
        with graph.as_default():
            self.export_meta_graph(path, strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)

    def export_meta_graph(
        self, filename: str | None = None, collection_list: list | None = None, as_text: bool = False,
        export_scope: str | None = None, clear_devices: bool = False, clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False, save_debug_info: bool = False,
    ) -> Any:
        """The default graph, its collections and this saver as a MetaGraphDef, written to a file if one is named."""
        from reflow.compat.meta_graph import export_meta_graph

        return export_meta_graph(
            filename, saver_def=self.as_saver_def(), collection_list=collection_list, as_text=as_text,
            export_scope=export_scope, clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info,
        )

    def _remember(self, prefix: str) -> None:
        """Note a new checkpoint, and which one is too many now."""
        keep = self._options.max_to_keep
        if not keep:
            return
        self._written = [w for w in self._written if w[0] != prefix] + [(prefix, time.time())]
        if len(self._written) > keep:
            self._to_delete.append(self._written.pop(0))

    def _update_state(self, prefix: str, latest_filename: str) -> None:
        checkpoint_state.update_checkpoint_state(
            os.path.dirname(prefix) or ".", prefix, self.last_checkpoints, latest_filename=latest_filename,
            save_relative_paths=self._relative,
        )

    def _delete_old(self, meta_graph_suffix: str) -> None:
        if not self._to_delete:
            return
        old, when = self._to_delete.pop(0)
        if when > self._next_kept:
            self._next_kept += self._options.keep_checkpoint_every_n_hours * 3600
        else:
            forget_reader(old)
            checkpoint_state.remove_checkpoint(old, self._options.version, meta_graph_suffix)

    # --- restoring

    def restore(self, sess: Any, save_path: Any) -> None:
        """Give the session's variables the values of a checkpoint."""
        if self._empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        save_path = os.fspath(save_path)
        if not checkpoint_state.checkpoint_exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        logger.info("Restoring parameters from %s", save_path)
        try:
            self._read(sess, save_path)
        except errors.NotFoundError as error:
            if not self._restore_from_objects(sess, save_path):
                raise errors.NotFoundError(error.node_def, error.op, _MISSING + error.message) from error
        except errors.InvalidArgumentError as error:
            raise errors.InvalidArgumentError(error.node_def, error.op, _MISMATCH + error.message) from error

    def _read(self, sess: Any, save_path: str) -> None:
        if self.saver_def is None:
            self._find(self._given)
            saver_ops.restore_values(save_path, self._saveables, self._reshape)
            return
        sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: save_path})

    def _restore_from_objects(self, sess: Any, save_path: str) -> bool:
        """Restore a checkpoint of `tf.train.Checkpoint`, whose object graph tells the names that variables had."""
        try:
            keys = object_graph_key_mapping(save_path)
        except errors.NotFoundError:
            return False
        found = {keys[s.name]: s.op for s in self._saveables if s.name in keys and isinstance(s.op, Variable)}
        if not self._saveables or len(found) < len(self._saveables):
            return False
        if sess is None:
            Saver(found, reshape=self._reshape)._read(None, save_path)
            return True
        with sess.graph.as_default():
            Saver(found, reshape=self._reshape)._read(sess, save_path)
        return True

    # --- as protos

    def as_saver_def(self) -> Any:
        """The SaverDef, which names the nodes of this saver."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The SaverDef with names relative to a scope; None if the saver is outside of it."""
        from reflow.compat.scoped_names import strip_scope

        if export_scope is None:
            return self.saver_def
        if not self.saver_def.filename_tensor_name.startswith(f"{export_scope}/"):
            return None
        out = SaverDef()
        out.CopyFrom(self.saver_def)
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            setattr(out, field, strip_scope(getattr(self.saver_def, field), export_scope))
        return out

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """The saver that a SaverDef describes; its nodes are in the graph, below `import_scope`."""
        from reflow.compat.scoped_names import prepend_scope

        moved = SaverDef.FromString(saver_def.SerializeToString())
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            setattr(moved, field, prepend_scope(getattr(moved, field), import_scope))
        return Saver(saver_def=moved, name=import_scope)
