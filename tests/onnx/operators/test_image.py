"""Images, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("resize", "gridsample", "nonmaxsuppression")
def test_node(case):
    check(case)
