"""Convolutions and normalisations, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("conv", "convtranspose", "batch_normalization", "col2im", "lrn")
def test_node(case):
    check(case)
