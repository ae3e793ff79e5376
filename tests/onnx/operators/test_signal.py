"""Fourier transforms and windows, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("dft", "stft", "melweightmatrix")
def test_node(case):
    check(case)
