"""Python structures in SavedModels, both ways."""

import collections

import numpy as np
import pytest

import reflow as tf
from reflow.saved_model import structures


def test_structures(tmp_path):
    root = tf.Module()
    shared = tf.Variable([1, 2], name="shared")
    root.layers = [tf.Variable("text"), {"deep": shared}, (shared, tf.Variable(True))]
    root.table = {"a": [shared], "b": tf.Variable(np.float16(1.5), trainable=False)}
    tf.saved_model.save(root, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.layers[0].numpy() == b"text" and loaded.layers[2][1].numpy()
    assert loaded.layers[1]["deep"] is loaded.table["a"][0] is loaded.layers[2][0]
    assert loaded.table["b"].dtype is tf.float16 and not loaded.table["b"].trainable
    restored = tf.Module()
    restored.table = {"a": [tf.Variable([0, 0])]}
    tf.train.Checkpoint(restored).restore(tmp_path).expect_partial()
    assert restored.table["a"][0].numpy().tolist() == [1, 2]


def test_structured_values():
    pair = collections.namedtuple("Pair", "left right")
    value = {"a": [1, 2.5, True, None, "text"], "b": pair((), tf.TensorShape([None])),
             "c": (tf.int64, tf.TensorSpec([2], tf.bool, "n"))}
    back = structures.decode(structures.encode(value))
    assert back["a"] == value["a"] and back["c"] == value["c"] and back["b"].right == tf.TensorShape([None])
    assert type(back["b"]).__name__ == "Pair" and type(back["a"][2]) is bool
    with pytest.raises(structures.NotEncodableError):
        structures.encode(object())


class Tagged(tf.experimental.ExtensionType):
    __name__ = "reflow.tests.Tagged"
    x: tf.Tensor
    tag: int = 3


def test_the_bytes_are_tensorflows():
    """Recorded from TensorFlow 2.21."""
    row = tf.experimental.RowPartition.from_uniform_row_length(2, nrows=5)._type_spec.with_dtype(tf.int32)
    for value, recorded in (
        (row, "92023b080a1223a203200a07fa0104120208050a07fa01041202080a0a07fa0104120208020a038002031a10526f775061727469"
              "74696f6e537065632001"),
        (tf.types.experimental.distributed.PerReplica([tf.constant(0.0), tf.zeros([2])])._type_spec,
         "92022f08081219a203160a078a0204120018010a0b8a020812041202080218011a0e5065725265706c696361537065632002"),
        (np.array(["a", b"b"], object), "c2030e0807120412020802420161420162"),
        (np.array(["a"]), "c2030b0807120412020801420161"),
    ):  # fmt: skip
        proto = structures.encode(value)
        assert proto.SerializeToString(deterministic=True).hex() == recorded
        back = structures.decode(proto)
        assert type(back) is type(value)


def test_extension_types_have_a_number_of_their_own():
    spec = Tagged.Spec(tf.TensorSpec([]), 3)
    proto = structures.encode(spec)
    assert proto.type_spec_value.type_spec_class == 13 and structures.decode(proto) == spec
    proto.type_spec_value.type_spec_class_name = "nowhere.Spec"
    with pytest.warns(UserWarning, match=r"'nowhere\.Spec' has not been registered\. Falling back"):
        unknown = structures.decode(proto)
    assert unknown.x == tf.TensorSpec([]) and unknown.tag == 3


def test_what_has_no_place():
    for value in (b"bytes", np.int32(3), np.float32(2), np.bool_(True), {1: 2}, 1j, tf.constant):
        with pytest.raises(structures.NotEncodableError, match="No encoder for object"):
            structures.encode([value])
    proto = structures.StructuredValue()
    with pytest.raises(structures.NotEncodableError):
        structures.decode_present(proto)
    proto.type_spec_value.type_spec_class_name = "Future"
    with pytest.raises(ValueError, match="The type 'Future' is not supported by this version of TensorFlow"):
        structures.decode(proto)
    proto.type_spec_value.type_spec_class = 12
    with pytest.raises(ValueError, match="The type 'Future' has not been registered"):
        structures.decode(proto)


def test_registered_type_specs_come_with_a_warning():
    operator = tf.linalg.LinearOperatorIdentity(3)._type_spec
    with pytest.warns(UserWarning, match=r"tf\.linalg\.LinearOperatorIdentitySpec; loading this StructuredValue will"):
        proto = structures.encode(operator)
    assert type(structures.decode(proto)) is type(operator)
