"""Rows of `make bench` for checkpoints and SavedModels. A row of 1 GB takes some seconds and twice its size on the disk."""

from __future__ import annotations

import shutil
import tempfile
import weakref

import numpy as np
from programs import Step, normal, row

BLOCK = 1 << 22  # elements of a variable, 16 MB


def _folder() -> str:
    """A folder that goes when the process ends."""
    folder = tempfile.mkdtemp(prefix="reflow-bench-")
    weakref.finalize(shutil, shutil.rmtree, folder, True)
    return folder


def _checkpoint(tf, megabytes: int):
    values = [tf.Variable(np.full(BLOCK, i, np.float32)) for i in range(megabytes // 16)]
    return tf.train.Checkpoint(values=values)


@row("checkpoint: 1 GB written", group="saving", target=1.5, warm_up=1)
def write_checkpoint(tf) -> Step:
    checkpoint, path = _checkpoint(tf, 1024), f"{_folder()}/ckpt"

    def step():
        checkpoint.write(path)
        return 0

    return step


@row("checkpoint: 1 GB restored", group="saving", target=1.5, warm_up=1)
def read_checkpoint(tf) -> Step:
    checkpoint = _checkpoint(tf, 1024)
    path = checkpoint.write(f"{_folder()}/ckpt")

    def step():
        checkpoint.read(path)
        return checkpoint.values[3][0].numpy()

    return step


@row("saved model: 100 layers loaded and called", group="saving", target=1.0, warm_up=1)
def load_model(tf) -> Step:
    module = tf.Module()
    module.weights = [tf.Variable(normal(64, 64, seed=i) / 8) for i in range(100)]

    @tf.function(input_signature=[tf.TensorSpec([None, 64])])
    def call(x):
        for w in module.weights:
            x = tf.nn.relu(x @ w)
        return x

    module.call, folder, x = call, _folder(), normal(8, 64)
    tf.saved_model.save(module, folder)

    def step():
        return tf.saved_model.load(folder).call(x).numpy().sum()

    return step
