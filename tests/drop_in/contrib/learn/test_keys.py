"""Names, what model functions return, and metrics of a model."""

import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib
from reflow.drop_in.contrib.learn.keys import metrics_of

learn = contrib.learn


def test_what_a_model_function_returns_is_checked():
    for mode, missing in (("train", "train_op"), ("eval", "loss"), ("infer", "predictions")):
        with pytest.raises(ValueError, match=f"Missing {missing}"):
            learn.ModelFnOps(mode)
    with tf.Graph().as_default():
        spec = learn.ModelFnOps("infer", predictions={"a": tf.zeros([1])}).estimator_spec()
        assert spec.mode == "infer" and set(spec.predictions) == {"a"}


def test_metrics_choose_predictions_and_labels():
    def share(predictions, labels, weights=None):
        return predictions, labels, weights

    features, predictions = {"w": 7}, {"classes": 1, "scores": 2}
    spec = learn.MetricSpec(share, prediction_key="scores", weight_key="w")
    assert spec.create_metric_ops(features, 5, predictions) == (2, 5, 7)
    assert metrics_of({"m": share, ("n", "scores"): share}, features, 5, predictions) == {
        "m": (1, 5, None), "n": (2, 5, None)
    }
    assert learn.MetricSpec(lambda a, b: (a, b)).create_metric_ops({}, {"only": 3}, 4) == (4, 3)
    with pytest.raises(KeyError, match="there are"):
        learn.MetricSpec(share, prediction_key="x").create_metric_ops(features, 5, predictions)
    with pytest.raises(ValueError, match="requires predictions dict"):
        learn.MetricSpec(share, prediction_key="x").create_metric_ops(features, 5, 4)
    with pytest.raises(ValueError, match="single element dict"):
        learn.MetricSpec(share).create_metric_ops(features, 5, predictions)
