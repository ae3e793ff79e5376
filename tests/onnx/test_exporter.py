"""`tf.onnx.export`."""

import numpy as np
import onnx
import pytest

import reflow as tf
from reflow.onnx import exporter
from tests.onnx.round_trip import floats, operators


def test_a_keras_model_with_a_recurrent_layer(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((None, 3)),
            layers.LSTM(4, return_sequences=True),
            layers.GRU(2),
            layers.Dense(2, activation="softmax"),
        ]
    )
    path = tmp_path / "model.onnx"
    tf.onnx.export(model, path)
    onnx.checker.check_model(str(path), full_check=True)
    read = tf.onnx.load(path)
    assert read.specs[read.input_names[0]].shape.as_list() == [None, None, 3]
    for x in (floats(2, 5, 3), floats(3, 4, 3)):
        np.testing.assert_allclose(read(x), model(x), rtol=1e-4, atol=1e-5)


def test_attention_of_keras():
    x = tf.keras.Input((5, 4))
    model = tf.keras.Model(
        x, tf.keras.layers.LayerNormalization()(tf.keras.layers.MultiHeadAttention(2, 3)(x, x, use_causal_mask=True))
    )
    value = floats(2, 5, 4)
    np.testing.assert_allclose(tf.onnx.load(tf.onnx.export(model))(value), model(value), rtol=1e-4, atol=1e-5)


def test_a_saved_model(tmp_path):
    class Scaled(tf.Module):
        def __init__(self):
            self.scale = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
        def double(self, x):
            return {"y": x * self.scale}

    module = Scaled()
    tf.saved_model.save(module, tmp_path / "model", signatures={"double": module.double})
    proto = tf.onnx.export(tmp_path / "model", signature="double")
    assert [i.name for i in proto.graph.input] == ["x"] and [o.name for o in proto.graph.output] == ["y"]
    assert (
        proto.opset_import[0].version >= 17 and proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    )
    np.testing.assert_array_equal(tf.onnx.load(proto)(np.float32([[1, 2]])), [[2, 4]])
    with pytest.raises(ValueError, match="no signature 'serving_default'; it has 'double'"):
        tf.onnx.export(str(tmp_path / "model"))
    with pytest.raises(ValueError, match="chooses one of a SavedModel's"):
        tf.onnx.export(module.double, signature="double")


def test_all_ops_that_cannot_be_written_are_named_at_once():
    def function(x):
        return tf.linalg.inv(x) + tf.math.lgamma(x) + tf.math.lgamma(tf.roll(x, 1, 0))

    with pytest.raises(tf.onnx.UnexportableOps) as caught:
        tf.onnx.export(function, specs=[tf.TensorSpec([None, 3])])
    assert {op: len(nodes) for op, nodes in caught.value.ops.items()} == {"MatrixInverse": 1, "Lgamma": 2, "Roll": 1}
    assert "3 ops cannot be written to ONNX" in str(
        caught.value
    ) and "Lgamma: Lgamma_1 (there is no conversion)" in str(caught.value)


def test_large_weights_lie_in_a_file_beside_the_model(tmp_path, monkeypatch):
    monkeypatch.setattr(exporter, "LARGEST_FILE", 1000)
    weights = tf.Variable(floats(20, 30))
    proto = tf.onnx.export(lambda x: tf.matmul(x, weights), tmp_path / "m.onnx", specs=[tf.TensorSpec([None, 20])])
    assert operators(proto) == ["MatMul"] and (tmp_path / "m.onnx.data").stat().st_size >= 2400
    np.testing.assert_allclose(
        tf.onnx.load(tmp_path / "m.onnx")(floats(2, 20)), floats(2, 20) @ weights.numpy(), rtol=1e-5
    )
