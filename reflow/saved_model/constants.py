"""Names of files, tags and keys in a SavedModel: the constants of `tf.saved_model`."""

from typing import Any

from reflow.api.export import export_value


def _constant(value: Any, name: str, module: str) -> Any:
    """A constant of `tf.saved_model`, which TensorFlow 1 also has in a separate module."""
    return export_value(value, f"saved_model.{name}", f"compat.v1.saved_model.{module}.{name}")


ASSETS_DIRECTORY = _constant("assets", "ASSETS_DIRECTORY", "constants")
ASSETS_KEY = _constant("saved_model_assets", "ASSETS_KEY", "constants")
CLASSIFY_INPUTS = _constant("inputs", "CLASSIFY_INPUTS", "signature_constants")
CLASSIFY_METHOD_NAME = _constant("tensorflow/serving/classify", "CLASSIFY_METHOD_NAME", "signature_constants")
CLASSIFY_OUTPUT_CLASSES = _constant("classes", "CLASSIFY_OUTPUT_CLASSES", "signature_constants")
CLASSIFY_OUTPUT_SCORES = _constant("scores", "CLASSIFY_OUTPUT_SCORES", "signature_constants")
DEBUG_DIRECTORY = _constant("debug", "DEBUG_DIRECTORY", "constants")
DEBUG_INFO_FILENAME_PB = _constant("saved_model_debug_info.pb", "DEBUG_INFO_FILENAME_PB", "constants")
DEFAULT_SERVING_SIGNATURE_DEF_KEY = _constant(
    "serving_default", "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "signature_constants"
)
GPU = _constant("gpu", "GPU", "tag_constants")
PREDICT_INPUTS = _constant("inputs", "PREDICT_INPUTS", "signature_constants")
PREDICT_METHOD_NAME = _constant("tensorflow/serving/predict", "PREDICT_METHOD_NAME", "signature_constants")
PREDICT_OUTPUTS = _constant("outputs", "PREDICT_OUTPUTS", "signature_constants")
REGRESS_INPUTS = _constant("inputs", "REGRESS_INPUTS", "signature_constants")
REGRESS_METHOD_NAME = _constant("tensorflow/serving/regress", "REGRESS_METHOD_NAME", "signature_constants")
REGRESS_OUTPUTS = _constant("outputs", "REGRESS_OUTPUTS", "signature_constants")
SAVED_MODEL_FILENAME_PB = _constant("saved_model.pb", "SAVED_MODEL_FILENAME_PB", "constants")
SAVED_MODEL_FILENAME_PBTXT = _constant("saved_model.pbtxt", "SAVED_MODEL_FILENAME_PBTXT", "constants")
SAVED_MODEL_SCHEMA_VERSION = _constant(1, "SAVED_MODEL_SCHEMA_VERSION", "constants")
SERVING = _constant("serve", "SERVING", "tag_constants")
TPU = _constant("tpu", "TPU", "tag_constants")
TRAINING = _constant("train", "TRAINING", "tag_constants")
VARIABLES_DIRECTORY = _constant("variables", "VARIABLES_DIRECTORY", "constants")
VARIABLES_FILENAME = _constant("variables", "VARIABLES_FILENAME", "constants")
MAIN_OP_KEY = export_value(
    "saved_model_main_op", "compat.v1.saved_model.MAIN_OP_KEY", "compat.v1.saved_model.constants.MAIN_OP_KEY"
)
LEGACY_INIT_OP_KEY = export_value(
    "legacy_init_op", "compat.v1.saved_model.LEGACY_INIT_OP_KEY", "compat.v1.saved_model.constants.LEGACY_INIT_OP_KEY"
)
