"""TF-TRT's converter."""

import os

import numpy as np
import pytest

import reflow as tf
from reflow.engine import tf_trt
from reflow.function.plans import PLANS

X = np.float32([[1, -2, 3]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("model"))
    module = tf.Module()
    module.v = tf.Variable(np.arange(12, dtype=np.float32).reshape(3, 4))
    module.serve = tf.function(
        lambda x: {"y": tf.nn.relu(tf.matmul(x, module.v))}, input_signature=[tf.TensorSpec([None, 3], name="x")]
    )
    tf.saved_model.save(module, path, module.serve)
    return path


WANTED = np.maximum(X @ np.arange(12, dtype=np.float32).reshape(3, 4), 0)


def batches(*sizes):
    return lambda: [{"x": np.repeat(X, n, 0)} for n in sizes]


def test_convert_build_save_and_load(folder, tmp_path):
    converter = tf.experimental.tensorrt.Converter(input_saved_model_dir=folder, maximum_cached_engines=2)
    function = converter.convert()
    converter.build(batches(1, 2))
    np.testing.assert_allclose(function(x=X)["y"], WANTED, rtol=1e-5)
    out = str(tmp_path / "out")
    converter.save(out)
    assert sorted(os.listdir(os.path.join(out, PLANS))) == [
        tf_trt.MODEL, "serving_default_0.plan", "serving_default_1.plan"
    ]
    np.testing.assert_allclose(
        tf.saved_model.load(out).signatures["serving_default"](x=tf.constant(X))["y"], WANTED, rtol=1e-5
    )
    lines = []
    converter.summary(print_fn=lines.append)
    assert any("2 engines" in line for line in lines) and any("MatMul" in line for line in lines)


def test_a_range_of_shapes_is_one_engine(folder):
    converter = tf.experimental.tensorrt.Converter(
        input_saved_model_dir=folder, use_dynamic_shape=True, allow_build_at_runtime=False
    )
    function = converter.convert()
    converter.build(batches(1, 4))
    assert len(converter._engines) == 1 and function(x=np.repeat(X, 3, 0))["y"].shape == (3, 4)
    assert function(x=np.repeat(X, 9, 0))["y"].shape == (9, 4)  # by the model's own function


def test_int8_by_calibration(folder):
    params = tf.experimental.tensorrt.ConversionParams(precision_mode="INT8")
    converter = tf.experimental.tensorrt.Converter(input_saved_model_dir=folder, conversion_params=params)
    function = converter.convert(calibration_input_fn=batches(1))
    np.testing.assert_allclose(function(x=X)["y"], WANTED, rtol=0.05, atol=0.3)


def test_refusals(folder):
    make = tf.experimental.tensorrt.Converter
    with pytest.raises(ValueError, match="precision mode 'FP8' is not supported"):
        make(input_saved_model_dir=folder, precision_mode="FP8")
    with pytest.raises(ValueError, match="Should specify calibration_input_fn"):
        make(input_saved_model_dir=folder, precision_mode="INT8").convert()
    with pytest.raises(RuntimeError, match="call convert"):
        make(input_saved_model_dir=folder).build(batches(1))
    with pytest.raises(ValueError, match="one engine here"):
        make(input_saved_model_dir=folder, minimum_segment_size=5)
