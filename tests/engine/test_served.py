"""Signatures of loaded models that run by plans."""

import os
import shutil

import numpy as np
import pytest

import reflow as tf
from reflow.engine import served
from reflow.function.plans import PLANS

X = np.float32([[1, -2, 3]])
WEIGHTS = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    """A model, and what the converter saved of it, with a plan for batches of one and two."""
    folders = [str(tmp_path_factory.mktemp(name)) for name in ("model", "converted")]
    module = tf.Module()
    module.v = tf.Variable(WEIGHTS)
    module.serve = tf.function(
        lambda x: {"y": tf.matmul(x, module.v), "n": tf.shape(x)[0]},
        input_signature=[tf.TensorSpec([None, 3], name="x")],
    )
    tf.saved_model.save(module, folders[0], module.serve)
    converter = tf.experimental.tensorrt.Converter(input_saved_model_dir=folders[0], use_dynamic_shape=True)
    converter.convert()
    converter.build(lambda: [[X], [np.repeat(X, 2, 0)]])
    converter.save(folders[1])
    return folders


def signature(folder):
    return tf.saved_model.load(folder).signatures["serving_default"]


def by_plan(function, batch):
    """Whether a call with so many rows is served by a plan. Its result is right anyway."""
    x = tf.constant(np.repeat(X, batch, 0))
    result = function(x)
    np.testing.assert_allclose(result["y"], x.numpy() @ WEIGHTS, rtol=1e-5)
    assert result["n"].numpy() == batch
    return function.served is not None and function.served([x]) is not None


def test_shapes_that_fit_run_by_the_plan(converted):
    function = signature(converted[1])
    assert by_plan(function, 1) and by_plan(function, 2) and not by_plan(function, 3)
    with tf.GradientTape() as tape:  # the plan has no gradient: the model's own function runs
        x = tf.constant(X)
        tape.watch(x)
        y = tf.reduce_sum(function(x)["y"])
    np.testing.assert_allclose(tape.gradient(y, x), [WEIGHTS.sum(1)])
    assert tf.function(lambda x: function(x)["y"])(X).shape == (1, 2)


def test_variables_that_were_changed(converted):
    model = tf.saved_model.load(converted[1])
    function = model.signatures["serving_default"]
    assert by_plan(function, 1)
    function.variables[0].assign(WEIGHTS * 2)
    np.testing.assert_allclose(function(tf.constant(X))["y"], X @ WEIGHTS * 2)


def test_plans_that_do_not_fit_are_left_alone(converted, tmp_path, monkeypatch, capfd):
    assert signature(converted[0]).served is None
    resaved = str(tmp_path / "resaved")
    shutil.copytree(converted[1], resaved)
    tf.saved_model.save(tf.saved_model.load(converted[0]), resaved)
    assert signature(resaved).served is None
    damaged = str(tmp_path / "damaged")
    shutil.copytree(converted[1], damaged)
    path = os.path.join(damaged, PLANS, "serving_default_0.plan")
    with open(path, "r+b") as file:
        file.truncate(100)
    assert not by_plan(signature(damaged), 1) and "serving_default_0.plan is not used" in "".join(capfd.readouterr())
    monkeypatch.setattr(served, "fingerprint", lambda: {"device": "another"})
    assert not by_plan(signature(converted[1]), 1)
