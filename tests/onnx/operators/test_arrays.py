"""Shapes, slices, gathers and scatters, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("slice", "scatternd", "gathernd", "pad", "unique", "reshape", "split")
def test_node(case):
    check(case)
