"""Encoders and scalers, by ONNX' own tests."""

from tests.onnx.node_cases import node_tests

test_nodes = node_tests("ai_onnx_ml.label_encoder", "ai_onnx_ml.binarizer")
