"""Texts, by ONNX' own tests."""

from tests.onnx.node_cases import check, node_cases


@node_cases("string_split", "tfidfvectorizer", "stringnormalizer")
def test_node(case):
    check(case)
