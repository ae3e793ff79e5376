"""ONNX' tensors and dtypes."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import reflow as tf
from reflow.onnx.model import load
from reflow.onnx.values import dtype_of, number_of, tensor_of
from tests.onnx.models import proto


@pytest.mark.parametrize(
    "dtype", [tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.uint64, tf.bool, tf.string, tf.complex64]
)
def test_dtypes_there_and_back(dtype):
    assert dtype_of(number_of(dtype)) == dtype


def test_a_dtype_without_a_counterpart():
    with pytest.raises(TypeError, match="FLOAT8E8M0"):
        dtype_of(onnx.TensorProto.FLOAT8E8M0)


def test_texts():
    assert tensor_of(numpy_helper.from_array(np.array(["ä", "b"], object))).numpy().tolist() == ["ä".encode(), b"b"]


def _external(tmp_path, location):
    whole = proto([("Add", ["x", "w"], ["y"], {})], {"x": [64]}, ["y"], {"w": np.arange(64, dtype=np.float32)})
    tensor = whole.graph.initializer[0]
    (tmp_path / "weights.bin").write_bytes(tensor.raw_data)
    onnx.external_data_helper.set_external_data(tensor, location)
    tensor.ClearField("raw_data")
    path = tmp_path / "model.onnx"
    path.write_bytes(whole.SerializeToString())
    return path


def test_weights_in_a_file_beside_the_model(tmp_path):
    path = _external(tmp_path, "weights.bin")
    np.testing.assert_array_equal(load(path)(np.zeros(64, np.float32)), np.arange(64))
    with pytest.raises(ValueError, match="Give the model's path"):
        load(path.read_bytes())


@pytest.mark.parametrize(
    ("location", "words"), [("../weights.bin", "outside of the model's folder"), ("gone.bin", "no such file")]
)
def test_files_that_are_not_read(tmp_path, location, words):
    with pytest.raises((ValueError, OSError), match=words):
        load(_external(tmp_path, location))
