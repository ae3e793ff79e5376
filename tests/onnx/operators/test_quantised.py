"""Quantised operators, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("quantizelinear", "dequantizelinear", "qlinearconv", "qlinearmatmul", "convinteger")
def test_node(case):
    check(case)
