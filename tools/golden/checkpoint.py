"""Checkpoints of objects as TensorFlow writes them (`tests/golden/checkpoint/`), and the check that it restores what
Reflow saves.

`CASES` builds the objects from a namespace `tf` with `Module`, `Variable` and `train.Checkpoint`, which may be
TensorFlow or Reflow; the tests use it too. Values are made from the checkpoint keys, so that every variable has its
own.
"""

from __future__ import annotations

import collections
import pathlib
import shutil
import zlib

import numpy as np

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "checkpoint"
Pair = collections.namedtuple("Pair", "left right")


def dense(tf, units: int):
    layer = tf.Module("dense")
    layer.kernel = tf.Variable(np.zeros([2, units], np.float32), name="kernel")
    layer.bias = tf.Variable(np.zeros(units, np.float32), name="bias")
    return layer


def network(tf):
    """Nested lists, dictionaries and tuples, a shared layer, names that need escaping, a cycle,
    values of several types."""
    net = tf.Module("network")
    net.layers = [dense(tf, 3), 7, [dense(tf, 1)]]
    net.layers.append(dense(tf, 2))
    net.table = {
        "a/b.c": tf.Variable(0.0),
        "deep": {"x": [tf.Variable([0, 0])], "plain": "text"},
        "shared": net.layers[0],
    }
    net.pair = (tf.Variable(False), {"in": tf.Variable(np.zeros((), np.int64))})
    net.named = Pair(left=tf.Variable("", name="text"), right=None)
    net.numbers = [1, 2, 3]
    net.frozen = tf.Variable([0j, 0j], trainable=False, name="frozen")
    net.half = tf.Variable(np.zeros(3, np.float16))
    net.empty = tf.Module("empty")
    net.layers[0].parent = net
    return net


def optimizer(tf, net):
    """As optimizers are: state beside the variables it belongs to, in a list made later, and a link to the model."""
    opt = tf.Module("optimizer")
    opt.iterations = tf.Variable(np.zeros((), np.int64), trainable=False, name="iterations")
    opt.learning_rate = tf.Variable(np.float32(0), trainable=False, name="learning_rate")
    opt.model = net
    opt._slots = {"momentum": [], "velocity": []}
    for layer in (net.layers[0], net.layers[3]):
        for variable in (layer.kernel, layer.bias):
            for name, slots in opt._slots.items():
                slots.append(tf.Variable(np.zeros(variable.shape, np.float32), name=name))
    return opt


def by_keywords(tf):
    net = network(tf)
    return tf.train.Checkpoint(optimizer=optimizer(tf, net), model=net, step=tf.Variable(0))


def by_root(tf):
    return tf.train.Checkpoint(network(tf), step=tf.Variable(0), extra=[tf.Variable(0.0)])


CASES = {"keywords": by_keywords, "root": by_root}


def variables(checkpoint) -> dict:
    """Every variable that the checkpoint reaches, by the dotted path to it."""
    root = getattr(checkpoint, "root", checkpoint)
    found, seen = {}, set()

    def walk(path, obj):
        if id(obj) in seen:
            return
        seen.add(id(obj))
        if hasattr(obj, "assign"):
            found[path] = obj
        elif hasattr(obj, "_trackable_children"):
            for name, child in obj._trackable_children().items():
                walk(f"{path}.{name}", child)

    walk("", root)
    for name, child in checkpoint._trackable_children().items():
        walk(f".{name}", child)
    return {path: v for path, v in found.items() if not path.endswith("save_counter")}


def value_for(path: str, variable) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(path.encode()))
    shape, dtype = tuple(variable.shape), variable.dtype.name
    if dtype == "string":
        return np.array(f"value of {path}".encode(), object)
    if dtype == "bool":
        return np.array(True)
    values = rng.integers(1, 1000, shape)
    return (values + 1j * values).astype(dtype) if dtype.startswith("complex") else values.astype(dtype)


def fill(checkpoint):
    for path, variable in variables(checkpoint).items():
        value = value_for(path, variable)
        variable.assign(value.item() if value.dtype == object else value)


def differing(checkpoint) -> list[str]:
    """The paths of variables that do not have the value they were given by `fill`."""
    wrong = []
    for path, variable in variables(checkpoint).items():
        expected, got = value_for(path, variable), variable.numpy()
        if not np.array_equal(np.asarray(got, expected.dtype), expected):
            wrong.append(path)
    return wrong


def save_all(tf, folder: pathlib.Path):
    for name, build in CASES.items():
        checkpoint = build(tf)
        fill(checkpoint)
        for _ in range(2):
            checkpoint.save(str(folder / name / "ckpt"))


def write_golden():
    import tensorflow as tf

    shutil.rmtree(GOLDEN, ignore_errors=True)
    save_all(tf, GOLDEN)
    for name in CASES:
        for path in (GOLDEN / name).glob("ckpt-1.*"):
            path.unlink()


def write_with_reflow(folder: pathlib.Path):
    import reflow

    save_all(reflow, folder)


def check(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    bad = 0
    for name, build in CASES.items():
        latest = tf.train.latest_checkpoint(str(folder / name))
        checkpoint = build(tf)
        checkpoint.restore(latest).assert_consumed()
        wrong = differing(checkpoint)
        counter = int(checkpoint.save_counter.numpy())
        graph_key = "_CHECKPOINTABLE_OBJECT_GRAPH"
        ours, theirs = (tf.train.load_checkpoint(str(p / name / "ckpt-2")) for p in (folder, GOLDEN))
        same_graph = ours.get_tensor(graph_key) == theirs.get_tensor(graph_key)
        same_keys = ours.get_variable_to_shape_map() == theirs.get_variable_to_shape_map()
        print(
            f"{name}: {len(variables(checkpoint))} variables, differing: {wrong}; save_counter {counter}; object graph "
            f"{'equal' if same_graph else 'DIFFERS'}, keys and shapes {'equal' if same_keys else 'DIFFER'}"
        )
        bad += len(wrong) + (counter != 2) + (not same_graph) + (not same_keys)
    print("OK" if not bad else f"{bad} FAILURES")
    return not bad


if __name__ == "__main__":
    run(write_golden, write_with_reflow, check)
