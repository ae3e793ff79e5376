"""Elementwise operators, by ONNX' own tests."""

from tests.onnx.node_cases import node_tests

test_nodes = node_tests("mod", "clip", "pow", "gemm", "isinf", "bitshift")
