"""Rows of `make bench` for checkpoints and SavedModels.

A row of 1 GB takes some seconds and twice its size on the disk.
"""

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


def _save(tf, **options) -> Step:
    checkpoint, path = _checkpoint(tf, 256), f"{_folder()}/ckpt"
    options = tf.train.CheckpointOptions(**options)

    def step():
        checkpoint.write(path, options)
        return 0

    step.between = checkpoint.sync
    return step


@row("checkpoint: 256 MB in the background, against at once", group="saving", target=10.0, warm_up=1, twin=_save)
def write_in_background(tf) -> Step:
    """How long a step that saves is held up: the write itself goes on beside the program,
    and is waited for between the steps."""
    return _save(tf, enable_async=True)


@row("checkpoint: 1 GB restored", group="saving", target=1.5, warm_up=1)
def read_checkpoint(tf) -> Step:
    checkpoint = _checkpoint(tf, 1024)
    path = checkpoint.write(f"{_folder()}/ckpt")

    def step():
        checkpoint.read(path)
        return checkpoint.values[3][0].numpy()

    return step


def _loaded_and_called(tf, layers: int) -> Step:
    module = tf.Module()
    module.weights = [tf.Variable(normal(64, 64, seed=i) / 8) for i in range(layers)]

    @tf.function(input_signature=[tf.TensorSpec([None, 64])])
    def call(x):
        for w in module.weights:
            x = tf.nn.relu(x @ w)
        return x

    module.call, folder, x = call, _folder(), normal(8, 64)
    tf.saved_model.save(module, folder)

    def step():
        loaded = tf.saved_model.load(folder)  # TensorFlow's functions do not keep their variables alive
        return loaded.call(x).numpy().sum()

    return step


@row("saved model: 100 layers loaded and called", group="saving", target=1.0, warm_up=1)
def load_model(tf) -> Step:
    return _loaded_and_called(tf, 100)


@row("saved model: 500 layers loaded and called", group="saving", target=1.0, warm_up=1)
def load_deep_model(tf) -> Step:
    return _loaded_and_called(tf, 500)


@row("saved model: 12 blocks of BERT's size loaded and called", group="saving", target=1.0, warm_up=1)
def load_bert(tf) -> Step:
    """Twelve encoder blocks of width 768: 85 million weights, 340 MB."""
    module, width = tf.Module(), 768
    shapes = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]
    module.blocks = [[tf.Variable(normal(*shape, seed=i) / 40) for shape in shapes] for i in range(12)]

    @tf.function(input_signature=[tf.TensorSpec([None, 16, width])])
    def call(x):
        for mixed, joined, wide, narrow in module.blocks:
            q, k, v = (
                tf.transpose(tf.reshape(part, [-1, 16, 12, 64]), [0, 2, 1, 3])
                for part in tf.split(x @ mixed, 3, axis=-1)
            )
            seen = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 8.0) @ v
            x += tf.reshape(tf.transpose(seen, [0, 2, 1, 3]), [-1, 16, width]) @ joined
            x += tf.nn.gelu(x @ wide) @ narrow
        return x

    module.call, folder, x = call, _folder(), normal(1, 16, width)
    tf.saved_model.save(module, folder)

    def step():
        loaded = tf.saved_model.load(folder)
        return loaded.call(x).numpy().mean()

    return step


@row("saved model: MobileNetV2 loaded and called", group="saving", target=1.0, warm_up=1)
def load_mobilenet(tf) -> Step:
    tf.keras.utils.set_random_seed(1)
    folder, x = _folder(), tf.constant(normal(1, 96, 96, 3))
    tf.keras.applications.MobileNetV2((96, 96, 3), weights=None).export(folder, verbose=False)

    def step():
        loaded = tf.saved_model.load(folder)
        return loaded.serve(x).numpy().max()

    return step
