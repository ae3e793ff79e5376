"""Specs as full types; what is expected was printed by TensorFlow 2.21."""

from tensorboard.compat.proto import full_type_pb2

import reflow as tf
from reflow.drop_in.python.framework.specs import type_utils


def test_only_ragged_tensors_have_a_type():
    ragged = tf.RaggedTensorSpec([None, None], tf.int32)
    found = type_utils.fulltypes_for_flat_tensors(
        {"a": tf.TensorSpec([]), "b": ragged, "c": tf.SparseTensorSpec([None])}
    )
    assert [kind.SerializeToString() for kind in found] == [b"", b"\x08\xf7N\x12\x03\x08\xcf\x01", b""]
    assert (
        type_utils.fulltypes_for_flat_tensors(tf.RaggedTensorSpec([None, None], tf.float32))[0].args[0].type_id
        == full_type_pb2.TFT_FLOAT
    )


def test_an_iterator():
    product = type_utils.iterator_full_type_from_spec(tf.TensorSpec([2]))
    assert product.type_id == full_type_pb2.TFT_PRODUCT and product.args[0].type_id == full_type_pb2.TFT_ITERATOR
    assert len(product.args[0].args[0].args) == 1
