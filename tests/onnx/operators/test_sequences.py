"""Sequences and optional values, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("optionalgetelement", "sequenceinsert", "splittosequence")
def test_node(case):
    check(case)
