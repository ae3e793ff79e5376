"""Assets: an absolute path as a tensor, which functions capture rather than hold as a constant."""

import os

import reflow as tf


def test_the_path_is_captured():
    asset = tf.saved_model.Asset("words.txt")
    assert asset.path == "words.txt" and asset.asset_path.numpy() == os.path.abspath("words.txt").encode()
    assert tf.saved_model.Asset(tf.constant("words.txt")).path == "words.txt"
    captured = tf.function(lambda: tf.identity(asset.asset_path)).get_concrete_function().captured_inputs
    assert [t is asset.asset_path for t in captured] == [True]


def test_it_stands_for_its_path(tmp_path):
    tf.io.write_file(str(tmp_path / "words.txt"), "a\nb\n")
    asset = tf.saved_model.Asset(str(tmp_path / "words.txt"))
    assert tf.io.read_file(asset).numpy() == b"a\nb\n"
    index = tf.lookup.TextFileIndex
    model = tf.Module()
    model.asset = asset
    lines = tf.lookup.TextFileInitializer(asset, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    model.table = tf.lookup.StaticHashTable(lines, -1)
    model.find = tf.function(model.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(model, str(tmp_path / "model"))
    assert [p.name for p in (tmp_path / "model" / "assets").iterdir()] == ["words.txt"]
    (tmp_path / "words.txt").unlink()
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded.find(tf.constant(["b", "z"])).numpy().tolist() == [1, -1]
