"""Encoders and scalers, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("ai_onnx_ml.label_encoder", "ai_onnx_ml.binarizer")
def test_node(case):
    check(case)
