"""Elementwise operators, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("mod", "clip", "pow", "gemm", "isinf")
def test_node(case):
    check(case)
