"""`tensorflow.python.saved_model.model_utils.mode_keys`: what a model is asked for, in the words of Keras 2 and of estimators."""

from reflow.estimator.spec import ModeKeys as EstimatorModeKeys  # noqa: F401


class KerasModeKeys:
    """The modes of Keras 2."""

    TRAIN, TEST, PREDICT = "train", "test", "predict"
