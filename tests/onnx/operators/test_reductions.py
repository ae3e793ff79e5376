"""Reductions, by ONNX' own tests."""

from tests.onnx.node_cases import node_tests

test_nodes = node_tests("topk", "cumsum", "argmax", "reduce_log_sum_exp")
