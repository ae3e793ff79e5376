"""Assets: an absolute path as a tensor, which functions capture rather than hold as a constant."""

import os

import reflow as tf


def test_the_path_is_captured():
    asset = tf.saved_model.Asset("words.txt")
    assert asset.path == "words.txt" and asset.asset_path.numpy() == os.path.abspath("words.txt").encode()
    assert tf.saved_model.Asset(tf.constant("words.txt")).path == "words.txt"
    captured = tf.function(lambda: tf.identity(asset.asset_path)).get_concrete_function().captured_inputs
    assert [t is asset.asset_path for t in captured] == [True]
