"""Shapes, slices, gathers and scatters, by ONNX' own tests."""

from tests.onnx.node_cases import node_tests

test_nodes = node_tests("slice", "scatternd", "gathernd", "pad", "unique", "reshape", "split")
