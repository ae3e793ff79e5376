"""Recurrent layers, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("lstm", "gru", "rnn")
def test_node(case):
    check(case)
