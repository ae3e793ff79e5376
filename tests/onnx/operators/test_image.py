"""Images: by ONNX' own tests, and of open lengths."""

import numpy as np
import pytest
from onnx import TensorProto, helper

import reflow as tf
from reflow.onnx.node import NeedsValue
from tests.onnx.node_cases import node_tests

test_nodes = node_tests("resize", "gridsample", "nonmaxsuppression")

IMAGE = np.random.default_rng(0).standard_normal((2, 3, 5, 4)).astype(np.float32)


def model(to_sizes=False, **settings):
    """Twice as high and half as wide, or as large as the second input."""
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3, None, None])]
    known = [helper.make_tensor("scales", TensorProto.FLOAT, [4], [1.0, 1.0, 2.0, 0.5])]
    if to_sizes:
        inputs.append(helper.make_tensor_value_info("like", TensorProto.FLOAT, [None, 3, None, None]))
        nodes = [
            helper.make_node("Shape", ["like"], ["sizes"]),
            helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **settings),
        ]
    else:
        nodes = [helper.make_node("Resize", ["x", "", "scales"], ["y"], **settings)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 3, None, None])]
    graph = helper.make_graph(nodes, "resize", inputs, outputs, known)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def both(proto, **inputs):
    """What the graph for open lengths gives, and one for those of these inputs."""
    models = (
        tf.onnx.load(proto), tf.onnx.load(proto, input_shapes={name: array.shape for name, array in inputs.items()})
    )
    assert models[0].graph.outputs[0].shape.as_list()[2:] == [None, None]
    return [model(**inputs).numpy() for model in models]


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize(
    "coordinates", ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric"]
)
def test_open_lengths_are_resized_as_known_ones(mode, coordinates):
    for image in (IMAGE, IMAGE[:1, :, :1, :2]):
        got, expected = both(model(mode=mode, coordinate_transformation_mode=coordinates), x=image)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_open_lengths_become_those_of_another_array():
    like = np.zeros((2, 3, 9, 7), np.float32)
    got, expected = both(model(to_sizes=True, mode="linear"), x=IMAGE, like=like)
    assert got.shape == like.shape
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_a_mode_that_needs_the_lengths_says_so():
    with pytest.raises(NeedsValue, match="for this mode"):
        _ = tf.onnx.load(model(mode="cubic")).graph
