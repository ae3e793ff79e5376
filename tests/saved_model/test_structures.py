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
