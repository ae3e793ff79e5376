"""Batches of ragged and sparse tensors are written to files as TensorFlow's ops."""

import pytest

import reflow as tf
from tests.saved_model import models

RAGGED = tf.ragged.constant([[[1, 2], []], [[3]], [[4], [5, 6]]], row_splits_dtype=tf.int32)
SPARSE = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]])
STAGES = {
    "unbatch": lambda x: tf.data.Dataset.from_tensor_slices((x, [7, 8, 9])),
    "batch": lambda x: tf.data.Dataset.from_tensor_slices((x, [7, 8, 9])).batch(2),
    "rebatch": lambda x: tf.data.Dataset.from_tensors((x, [7, 8, 9])).rebatch(2, drop_remainder=True),
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("value", [RAGGED, SPARSE], ids=["ragged", "sparse"])
def test_elements_after_a_trip_through_a_file(tmp_path, stage, value):
    dataset = STAGES[stage](value)
    module = tf.Module()
    module.dataset = dataset
    module.first = tf.function(lambda: next(iter(module.dataset)), input_signature=[])
    tf.saved_model.save(module, tmp_path, signatures={})
    assert not any(node.op.startswith("Reflow>") for node in models.all_nodes(models.read(tmp_path)))
    found, number = tf.saved_model.load(tmp_path).first()
    expected, expected_number = next(iter(dataset))
    parts, expected_parts = (tf.nest.flatten(x, expand_composites=True) for x in (found, expected))
    assert [p.dtype for p in parts] == [p.dtype for p in expected_parts]
    assert [p.numpy().tolist() for p in parts] == [p.numpy().tolist() for p in expected_parts]
    assert number.numpy().tolist() == expected_number.numpy().tolist()
