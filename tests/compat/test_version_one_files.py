"""Files that TensorFlow 1 wrote, with reference variables.

`.meta` graphs and SavedModels of the builder (`tools/golden/version_one.py`).
"""

import pytest

import reflow as tf
from reflow.compat.saved_model.loader import SavedModelLoader
from reflow.compat.saved_model.signature_defs import MethodNameUpdater
from tools.golden import version_one

v1 = tf.compat.v1


def test_graphs_of_tensorflow():
    version_one.check_graphs(tf, version_one.GOLDEN)


def test_a_model_of_tensorflow():
    version_one.check_model(tf, version_one.GOLDEN)


def test_our_own(tmp_path):
    version_one.write(tf, tmp_path / "x")
    version_one.check_graphs(tf, tmp_path / "x")
    version_one.check_model(tf, tmp_path / "x")


def test_a_loaded_model_is_trained_and_saved_as_one_of_version_two(tmp_path):
    model = tf.saved_model.load(str(version_one.GOLDEN / "model"), tags={"serve"})
    function = model.prune("x:0", "y:0")
    (w,) = [v for v in model.variables if v.trainable]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(function(tf.constant([[1.0, 2.0]])))
    assert tape.gradient(loss, w).numpy().tolist() == [1.0, 2.0]
    w.assign([1.0, 1.0])
    tf.saved_model.save(model, str(tmp_path / "m"), signatures=model.signatures)
    again = tf.saved_model.load(str(tmp_path / "m"))
    assert again.signatures["serving_default"](x=tf.constant([[1.0, 2.0]]))["y"].numpy().tolist() == [3.0]
    assert again.signatures["words"](word=tf.constant(["b"]))["index"].numpy().tolist() == [2]


def test_what_is_wrong_is_named(tmp_path):
    loader = SavedModelLoader(version_one.GOLDEN / "model")
    with pytest.raises(RuntimeError, match=r"tags 'other' could not be found in SavedModel, with available tags"):
        loader.get_meta_graph_def_from_tags(["other"])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        v1.saved_model.Builder(str(tmp_path / "full"))
    builder = v1.saved_model.Builder(str(tmp_path / "new"))
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["serve"])
    with tf.Graph().as_default(), v1.Session() as session:
        bad = {"s": v1.saved_model.build_signature_def({"x": v1.TensorInfo(name="x:0")}, {})}
        with pytest.raises(AssertionError, match="must have the `dtype` field set"):
            builder.add_meta_graph_and_variables(session, ["serve"], bad)
        with pytest.raises(ValueError, match="Regression `predictions` cannot be None"):
            v1.saved_model.regression_signature_def(tf.constant("x"), None)
        with pytest.raises(ValueError, match="must be string Tensors"):
            v1.saved_model.classification_signature_def(tf.constant(1), None, tf.constant(1.0))


def test_method_names_can_be_changed(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        v1.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": x + 1.0})
    updater = MethodNameUpdater(str(tmp_path / "m"))
    with pytest.raises(ValueError, match="does not have a signature_def with key: 'other'"):
        updater.replace_method_name("other", "m")
    updater.replace_method_name("serving_default", "tensorflow/serving/regress", tags="serve")
    updater.save()
    meta = SavedModelLoader(str(tmp_path / "m")).get_meta_graph_def_from_tags("serve")
    assert meta.signature_def["serving_default"].method_name == "tensorflow/serving/regress"
