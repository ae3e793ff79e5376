"""`tf.compat.v1.train.Saver`: the variables of a session in checkpoints."""

from __future__ import annotations

import os
import time

import numpy as np

from reflow.api.export import export
from reflow.compat.graph_variables import global_variables
from reflow.core import errors, version
from reflow.train import bundle, checkpoint_state


@export("compat.v1.train.Saver")
class Saver:
    """Writes the variables of a session to checkpoints, by their names, and reads them back.

    The files are TensorFlow's: `prefix.index`, `prefix.data-00000-of-00001`, and `checkpoint`, which names the latest.
    """

    def __init__(
        self, var_list: list | dict | None = None, reshape: bool = False, sharded: bool = False,
        max_to_keep: int | None = 5, keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None,
        restore_sequentially: bool = False, saver_def=None, builder=None, defer_build: bool = False,
        allow_empty: bool = False, write_version: int = 2, pad_step_number: bool = False,
        save_relative_paths: bool = False, filename: str | None = None,
    ):
        refused = {"saver_def": saver_def, "builder": builder, "filename": filename}
        for option, given in refused.items():
            if given is not None:
                raise ValueError(f"Saver: `{option}` is not supported.")
        if int(write_version) != 2:
            raise ValueError("Saver: only version 2 of the checkpoint format can be written.")
        self._given, self._allow_empty, self._built = var_list, allow_empty, False
        self._variables: dict = {}
        if not defer_build:
            self.build()
        self._reshape, self._keep, self._hours = reshape, max_to_keep or 0, keep_checkpoint_every_n_hours
        self._pad, self._relative = pad_step_number, save_relative_paths
        self._written: list = []  # (prefix, time)
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600

    def build(self):
        """Find out which variables there are to save, for a saver that was made with `defer_build`."""
        if not self._built:
            self._built, self._variables = True, self._named(self._given, self._allow_empty)

    @staticmethod
    def _named(var_list, allow_empty) -> dict:
        if isinstance(var_list, dict):
            return dict(var_list)
        variables = global_variables() if var_list is None else list(var_list)
        if not variables and not allow_empty:
            raise ValueError("No variables to save")
        return {v.name.removesuffix(":0"): v for v in variables}

    last_checkpoints = property(lambda self: [prefix for prefix, _ in self._written])

    def set_last_checkpoints(self, last_checkpoints):
        """Take over a list of checkpoints that exist."""
        self._written = [(prefix, time.time()) for prefix in last_checkpoints]

    def recover_last_checkpoints(self, checkpoint_paths):
        """Take over a list of checkpoints, as far as they exist."""
        there = [path for path in checkpoint_paths if os.path.exists(f"{path}.index")]
        self._written = [(path, os.path.getmtime(f"{path}.index")) for path in there]

    def save(
        self, sess, save_path: str | os.PathLike, global_step=None, latest_filename: str | None = None,
        meta_graph_suffix: str = "meta", write_meta_graph: bool = True, write_state: bool = True,
        strip_default_attrs: bool = False, save_debug_info: bool = False,
    ) -> str:
        """Write a checkpoint; returns its prefix."""
        prefix = os.fspath(save_path)
        if global_step is not None:
            number = isinstance(global_step, (int, np.integer, np.ndarray))
            step = int(global_step if number else sess.run(global_step))
            prefix += f"-{step:08d}" if self._pad else f"-{step}"
        folder = os.path.dirname(prefix)
        if folder and not os.path.isdir(folder) and os.path.isdir(os.path.dirname(folder) or "."):
            os.mkdir(folder)  # one level, as TensorFlow does
        if folder and not os.path.isdir(folder):
            raise ValueError(f"Parent directory of {prefix} doesn't exist, can't save.")
        names = list(self._variables)
        values = sess.run([self._variables[n] for n in names])
        bundle.write(prefix, dict(zip(names, values, strict=True)))
        if write_meta_graph:
            self._write_graph(sess, f"{prefix}.{meta_graph_suffix}")
        if write_state:
            self._remember(prefix, latest_filename)
        return prefix

    @staticmethod
    def _write_graph(sess, path):
        from tensorboard.compat.proto.meta_graph_pb2 import MetaGraphDef

        meta = MetaGraphDef(graph_def=sess.graph.as_graph_def(add_shapes=True))
        meta.meta_info_def.tensorflow_version = version.TENSORFLOW
        with open(path, "wb") as file:
            file.write(meta.SerializeToString())

    def _remember(self, prefix, latest_filename):
        """Note a new checkpoint, and delete the oldest if there are too many."""
        self._written = [w for w in self._written if w[0] != prefix] + [(prefix, time.time())]
        if self._keep and len(self._written) > self._keep:
            old, when = self._written.pop(0)
            if when < self._next_kept:
                _delete(old)
            else:
                self._next_kept += self._hours * 3600
        checkpoint_state.update_checkpoint_state(
            os.path.dirname(prefix) or ".",
            os.path.basename(prefix) if self._relative else prefix,
            [os.path.basename(p) if self._relative else p for p in self.last_checkpoints],
            latest_filename=latest_filename,
        )

    def restore(self, sess, save_path):
        """Give the session's variables the values of a checkpoint."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not os.path.exists(f"{save_path}.index"):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        with bundle.Reader(save_path) as reader:
            missing = [n for n in self._variables if n not in reader]
            if missing:
                raise errors.NotFoundError(None, None, f"Key {missing[0]} not found in checkpoint")
            for name, variable in self._variables.items():
                value = reader.get(name)
                if self._reshape:
                    value = value.reshape(variable.shape.as_list())
                variable.load(value, sess)


def _delete(prefix: str):
    folder, name = os.path.split(prefix)
    for file in os.listdir(folder or "."):
        if file in (f"{name}.index", f"{name}.meta") or file.startswith(f"{name}.data-"):
            os.remove(os.path.join(folder, file))
