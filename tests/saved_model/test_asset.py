"""Assets: files that belong to a model, and names that lead out of its folder."""

import os
import pathlib
import shutil

import pytest

import reflow as tf
from tests.expressions import session
from tests.saved_model.models import edit

test_expressions = session(__file__)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../secret", "", "..", "link", "x\0y"])
def test_assets_outside_the_model(model, name):
    os.makedirs(model / "assets", exist_ok=True)
    (model.parent / "secret").write_text("secret")
    os.symlink(model.parent / "secret", model / "assets" / "link")

    def add(meta):
        meta.asset_file_def.add(filename=name)
        node = meta.object_graph_def.nodes.add()
        node.asset.asset_file_def_index = 0
        meta.object_graph_def.nodes[0].children.add(node_id=len(meta.object_graph_def.nodes) - 1, local_name="words")

    edit(model, add)
    with pytest.raises(ValueError, match="outside its own folder"):
        tf.saved_model.load(model)


def test_assets(tmp_path):
    (tmp_path / "words.txt").write_text("a b")
    module = tf.Module()
    module.words = tf.saved_model.Asset(tmp_path / "words.txt")
    tf.saved_model.save(module, tmp_path / "model")
    (tmp_path / "words.txt").unlink()
    shutil.move(tmp_path / "model", tmp_path / "moved")
    path = tf.saved_model.load(tmp_path / "moved").words.asset_path.numpy().decode()
    assert path == str(tmp_path / "moved" / "assets" / "words.txt") and pathlib.Path(path).read_text() == "a b"


def test_a_function_sees_the_path_of_the_loaded_file(tmp_path):
    (tmp_path / "words.txt").write_text("a")
    root = tf.Module()
    root.asset = tf.saved_model.Asset(str(tmp_path / "words.txt"))
    root.path = tf.function(lambda: tf.strings.join(["file:", root.asset.asset_path]), input_signature=[])
    assert root.path().numpy().decode() == f"file:{tmp_path}/words.txt"
    tf.saved_model.save(root, str(tmp_path / "m"))
    assert tf.saved_model.load(str(tmp_path / "m")).path().numpy().decode() == f"file:{tmp_path}/m/assets/words.txt"
