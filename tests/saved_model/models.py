"""Modules that are saved, and what is in their files."""


import reflow as tf
from reflow.saved_model import saved_model_proto


class Scale(tf.Module):
    """A variable, a captured constant, functions with and without an input signature."""

    def __init__(self):
        super().__init__()
        self.factor = tf.Variable(3.0, name="factor")
        self.offset = tf.constant([0.5, 0.25])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
    def __call__(self, x):
        return x * self.factor

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def shift(self, value):
        return {"plus": value + self.offset, "minus": value - self.offset}

    @tf.function
    def mix(self, pair, weights=(1.0, 2.0), *, negate=False):
        total = pair[0] * weights[0] + pair[1]["b"] * weights[1]
        return [-total if negate else total, None]


class Signed(tf.Module):
    """Parameters that are not in the order of their names, defaults, and any number of arguments."""

    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([2])])
    def named(self, zeta, alpha, by=2.0, mask=None):
        return {"z": zeta * by, "a": alpha + 1.0}

    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([2])])
    def many(self, *xs):
        return xs[0] * xs[1]


def read(folder):
    return saved_model_proto.read(folder).meta_graphs[0]


def all_nodes(meta):
    return list(meta.graph_def.node) + [n for f in meta.graph_def.library.function for n in f.node_def]


def edit(folder, change):
    proto = saved_model_proto.read(folder)
    change(proto.meta_graphs[0])
    (folder / "saved_model.pb").write_bytes(proto.SerializeToString())
