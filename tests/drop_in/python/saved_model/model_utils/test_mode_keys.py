"""Modes of models."""

from reflow.drop_in.python.saved_model.model_utils import mode_keys


def test_the_words_of_keras_and_of_estimators():
    assert (mode_keys.KerasModeKeys.TRAIN, mode_keys.KerasModeKeys.TEST) == ("train", "test")
    assert mode_keys.EstimatorModeKeys.PREDICT == "infer"
