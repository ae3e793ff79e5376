"""Elements of rows."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged.ragged_batch_gather_ops import batch_gather


def test_elements_of_rows():
    ragged = tf.ragged.constant
    assert batch_gather(ragged([["a", "b"], ["c"]]), ragged([[1], [0, 0]])).to_list() == [[b"b"], [b"c", b"c"]]
    assert batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist() == [[2], [3]]
    for params, indices, words in (
        (
            ragged([["a"], ["b"], ["c"]]), ragged([[0], [0]]),
            r"batch shape from indices \(2,\) does not match params shape \(3, None\)",
        ),
        ([[[1, 2], [3, 4]]], ragged([[[0, 0], [0]]]), "does not match params shape: only the rows of indices"),
        (ragged([["a"]]), 0, "batch_dims=-1 out of bounds: expected 0<=batch_dims<0"),
        (ragged(["a", "b"]), ragged([[0], [0]]), r"batch_dims must be less than rank\(params\)"),
    ):
        with pytest.raises(ValueError, match=words):
            batch_gather(params, indices)
