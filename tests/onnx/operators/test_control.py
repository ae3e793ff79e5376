"""Branches, loops and scans, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("scan", "loop", "if_")
def test_node(case):
    check(case)
