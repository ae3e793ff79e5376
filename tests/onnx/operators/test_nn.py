"""Convolutions and normalisations, by ONNX' own tests."""

from tests.onnx.node_cases import node_tests

test_nodes = node_tests("conv", "convtranspose", "batch_normalization", "col2im", "lrn")
