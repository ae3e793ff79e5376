"""Reflow prints what TensorFlow 2.21 prints, for every entry of `expressions/*.txt`."""

import warnings

import pytest

import reflow as tf
from tests.core.evaluate import FOLDER, comparable, entries, evaluate

CASES = [
    pytest.param(source, expected, id=f"{path.stem}:{source[:60]}")
    for path in sorted(FOLDER.glob("*.txt"))
    for _, source, expected in entries(path)
]


@pytest.mark.parametrize("source, expected", CASES)
def test_expression(source, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TensorFlow's own are not recorded
        got = evaluate(tf, source)
    assert comparable(source, got) == comparable(source, expected)


def test_every_result_is_recorded():
    """An entry whose result is missing would compare nothing."""
    silent = [source for path in FOLDER.glob("*.txt") for _, source, result in entries(path) if not result]
    assert not silent
