"""Engines from functions."""

import numpy as np

import reflow as tf
import reflow.engine as trt

X = np.float32([[1, 2]])


def test_variables_are_kept_as_they_are_and_outputs_have_names():
    v = tf.Variable([[1.0], [2.0]])
    function = tf.function(lambda x: {"b": tf.matmul(x, v), "a": x + 1.0})
    engine = trt.build_from_function(function, specs=[tf.TensorSpec([1, 2], name="x")])
    v.assign([[0.0], [0.0]])
    found = engine.create_execution_context().run({"x": X})
    np.testing.assert_allclose(found["b"], [[5]])
    np.testing.assert_allclose(found["a"], X + 1)


def test_a_loaded_signature(tmp_path):
    module = tf.Module()
    module.serve = tf.function(lambda x: {"y": x * 3.0}, input_signature=[tf.TensorSpec([1, 2], name="x")])
    tf.saved_model.save(module, str(tmp_path), module.serve)
    loaded = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    engine = trt.build_from_function(loaded)
    np.testing.assert_allclose(engine.create_execution_context().run({"x": X})["y"], X * 3)


def test_variables_that_a_loop_and_a_branch_read():
    step, offset = tf.Variable([[0.5, 1.0], [0.0, 2.0]]), tf.Variable([1.0, 2.0])

    @tf.function
    def function(x):
        rows = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            x = tf.matmul(x, step)
            rows = rows.write(i, x)
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x + offset, lambda: x), rows.stack()

    x = np.float32([[1, 2]])
    engine = tf.engine.build_from_function(function, specs=[tf.TensorSpec([1, 2], name="x")])
    expected = [t.numpy() for t in function(x)]
    step.assign(step * 0.0)
    for got, want in zip(engine.create_execution_context()(x), expected, strict=True):
        np.testing.assert_allclose(got, want)
