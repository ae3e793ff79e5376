"""ONNX models as networks."""

import numpy as np

import reflow.engine as trt
from tests.engine.engines import QUIET
from tests.onnx.models import proto

W = np.random.default_rng(0).standard_normal((3, 2)).astype(np.float32)
MODEL = proto(
    [
        ("Shape", ["x"], ["s"], {}),
        ("Gather", ["s", "i"], ["n"], {"axis": 0}),
        ("MatMul", ["x", "w"], ["m"], {}),
        ("Cast", ["n"], ["f"], {"to": 1}),
        ("Div", ["m", "f"], ["d"], {}),
        ("Relu", ["d"], ["y"], {}),
    ],
    {"x": [4, 3]},
    ["y"],
    {"w": W, "i": np.int64(0)},
)


def parsed(model):
    network = trt.INetworkDefinition()
    parser = trt.OnnxParser(network, trt.Logger(trt.Logger.INTERNAL_ERROR))
    return network, parser, parser.parse(model.SerializeToString())


def test_a_model_becomes_layers_and_an_engine():
    network, parser, ok = parsed(MODEL)
    assert ok and parser.num_errors == 0
    assert [layer.name for layer in network.layers] == ["Shape_0", "Gather_1", "MatMul_2", "Cast_3", "Div_4", "Relu_5"]
    x = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
    engine = trt.Builder(QUIET).build_engine(network, trt.IBuilderConfig())
    np.testing.assert_allclose(
        engine.create_execution_context().run({"x": x})["y"], np.maximum(x @ W / 4, 0), rtol=1e-5, atol=1e-6
    )


def test_errors_are_kept():
    _, parser, ok = parsed(proto([("Nonsense", ["x"], ["y"], {})], {"x": [1]}, ["y"]))
    assert not ok and parser.num_errors == 1 and "Nonsense: Nonsense_0" in parser.get_error(0).desc()
    assert (
        not parser.supports_model(b"nothing") and parser.supports_operator("Conv")
        and not parser.supports_operator("Nonsense")
    )
    parser.clear_errors()
    assert parser.num_errors == 0


def test_inputs_keep_names_that_nodes_of_ours_cannot_have():
    network, _, ok = parsed(
        proto([("Sub", ["serving:0", "serving_0"], ["y:0"], {})], {"serving:0": [2], "serving_0": [2]}, ["y:0"])
    )
    assert ok
    engine = trt.Builder(QUIET).build_engine(network, trt.IBuilderConfig())
    result = engine.create_execution_context().run({"serving:0": np.float32([3, 4]), "serving_0": np.float32([1, 1])})
    assert {name: value.tolist() for name, value in result.items()} == {"y:0": [2, 3]}
