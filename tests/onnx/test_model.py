"""ONNX models as functions."""

import numpy as np
import pytest

from reflow.onnx.model import OnnxModel, load
from reflow.onnx.node import NeedsValue, OnnxError
from tests.onnx.models import model, proto

ADD = ([("Add", ["a", "b"], ["y"], {})], {"a": [2], "b": [2]}, ["y"])
ONES = np.ones(2, np.float32)


def test_inputs_by_position_and_by_name():
    add = model(*ADD)
    np.testing.assert_array_equal(add(ONES, ONES), [2, 2])
    np.testing.assert_array_equal(add(ONES, b=ONES * 3), [4, 4])


@pytest.mark.parametrize(
    ("args", "kwargs"), [((ONES,), {}), ((ONES,), {"c": ONES}), ((ONES, ONES), {"a": ONES}), ((ONES, ONES, ONES), {})]
)
def test_wrong_inputs(args, kwargs):
    with pytest.raises(TypeError, match="takes the inputs a, b"):
        model(*ADD)(*args, **kwargs)


def test_a_wrong_dtype():
    with pytest.raises(TypeError, match="'a' has the dtype float32; received float64"):
        model(*ADD)(ONES.astype(np.float64), ONES)


def test_bytes_paths_and_what_is_no_model(tmp_path):
    path = tmp_path / "add.onnx"
    path.write_bytes(proto(*ADD).SerializeToString())
    np.testing.assert_array_equal(load(path)(ONES, ONES), load(path.read_bytes())(ONES, ONES))
    with pytest.raises(OnnxError, match="is no ONNX model"):
        load(b"\x08\x01nonsense")
    with pytest.raises(OnnxError, match="names no operator set"):
        load(b"")


def test_a_model_that_needs_a_value_is_read_at_each_new_call():
    pad = OnnxModel(proto([("Pad", ["x", "n"], ["y"], {})], {"x": ["n"], "n": ([2], np.int64)}, ["y"]))
    with pytest.raises(NeedsValue, match="Pad_0.*pads must be known"):
        _ = pad.graph
    np.testing.assert_array_equal(pad(ONES, np.array([1, 0])), [0, 1, 1])
    np.testing.assert_array_equal(pad(ONES, np.array([0, 2])), [1, 1, 0, 0])


def test_shapes_that_the_caller_fixes():
    assert (
        load(proto([("Relu", ["x"], ["y"], {})], {"x": ["n", 3]}, ["y"]), {"x": [4, 3]}).graph.outputs[0].shape
        == (4, 3)
    )
    with pytest.raises(OnnxError, match="no input 'z'"):
        load(proto(*ADD), {"z": [1]})
