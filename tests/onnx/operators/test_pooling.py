"""Poolings, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("maxpool", "averagepool", "lppool", "maxunpool")
def test_node(case):
    check(case)
