"""Signatures of SavedModels as functions."""

import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


@pytest.fixture
def model(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.identity(x * v1.get_variable("w", initializer=3.0), name="y")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(tmp_path / "model"), {"x": x}, {"y": y})
    return str(tmp_path / "model")


def test_a_signature_is_a_function(model):
    predict = contrib.predictor.from_saved_model(model)
    assert predict({"x": [1.0, 2.0]})["y"].tolist() == [3.0, 6.0]
    assert (
        predict.feed_tensors["x"].name == "x:0"
        and predict.fetch_tensors["y"].graph is predict.graph is predict.session.graph
    )
    with pytest.raises(ValueError, match="Got unexpected keys in input_dict: {'z'}"):
        predict({"z": [1.0]})


def test_tensors_are_named(model):
    predict = contrib.predictor.from_saved_model(
        model, input_names={"a": "x:0"}, output_names={"b": "y:0"}, tags="serve", graph=tf.Graph()
    )
    assert predict({"a": [1.0]})["b"].tolist() == [3.0]


def test_what_is_wrong_is_said(model):
    with pytest.raises(
        ValueError, match='Got signature_def_key "other". Available signatures are {\'serving_default\'}'
    ):
        contrib.predictor.from_saved_model(model, "other")
    with pytest.raises(ValueError, match="You must specify at most one of signature_def_key"):
        contrib.predictor.from_saved_model(model, input_names={"a": "x:0"})
