"""Gradients of the user's in SavedModels: as TensorFlow wrote them, and as we write them
(`tools/golden/saved_gradients.py`)."""

import pytest

import reflow as tf
from reflow.saved_model import saved_model_proto
from tools.golden import saved_gradients as golden


def saved(folder):
    return saved_model_proto.read(folder).meta_graphs[0]


def test_gradients_that_tensorflow_wrote():
    loaded = tf.saved_model.load(golden.GOLDEN)
    assert golden.difference(golden.answers(tf, loaded)) < 1e-6
    x, y = tf.constant(2.0), tf.constant(3.0)

    @tf.function
    def gradients(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = loaded.inside(x, y)
        return tape.gradient(z, [x, y])

    for _ in range(3):
        assert [float(g) for g in gradients(x, y)] == golden.ANSWERS["inside"][1:]
    with tf.GradientTape() as tape:
        z = loaded.scaled(x, y)
    assert float(tape.gradient(z, loaded.factor)) == 7.0


def test_round_trips(tmp_path):
    golden.write(tf, tmp_path / "first")
    first = tf.saved_model.load(tmp_path / "first")
    assert golden.difference(golden.answers(tf, first)) < 1e-6
    tf.saved_model.save(first, tmp_path / "second")
    assert golden.difference(golden.answers(tf, tf.saved_model.load(tmp_path / "second"))) < 1e-6


def test_what_the_file_holds(tmp_path):
    """Three gradients; one takes two tensors of the function around it."""
    golden.write(tf, tmp_path)
    meta = saved(tmp_path)
    kinds = [node.WhichOneof("kind") for node in meta.object_graph_def.nodes]
    assert (len(meta.graph_def.library.registered_gradients), kinds.count("captured_tensor")) == (3, 2)


def test_without_gradients(tmp_path):
    tf.saved_model.save(
        golden.module(tf), tmp_path, options=tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    )
    assert not saved(tmp_path).graph_def.library.registered_gradients


def test_a_gradient_that_fails(tmp_path):
    @tf.custom_gradient
    def broken(x):
        def gradient(dy):
            raise KeyError("no")

        return x, gradient

    module = tf.Module()
    module.f = tf.function(broken, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="experimental_custom_gradients=False"):
        tf.saved_model.save(module, tmp_path)
