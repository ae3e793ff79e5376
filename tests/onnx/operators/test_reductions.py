"""Reductions, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("topk", "cumsum", "argmax", "reduce_log_sum_exp")
def test_node(case):
    check(case)
