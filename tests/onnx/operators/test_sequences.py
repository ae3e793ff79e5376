"""Sequences and optional values, by ONNX' own tests."""

from tests.onnx.node_cases import node_tests

test_nodes = node_tests("optionalgetelement", "sequenceinsert", "splittosequence")
