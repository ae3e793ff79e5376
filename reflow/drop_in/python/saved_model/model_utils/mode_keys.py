"""`tensorflow.python.saved_model.model_utils.mode_keys`.

What a model is asked for, in the words of Keras 2 and of estimators.
"""

from reflow.compat.saved_model.mode_keys import KerasModeKeys, ModeKeyMap, is_eval, is_predict, is_train  # noqa: F401
from reflow.estimator.spec import ModeKeys as EstimatorModeKeys  # noqa: F401
