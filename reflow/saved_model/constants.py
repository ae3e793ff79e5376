"""Names of files, tags and keys in a SavedModel: the constants of `tf.saved_model`."""

from typing import Any

from reflow.api.export import export_value


def _constants(module: str, **values: Any) -> tuple[Any, ...]:
    """Constants of `tf.saved_model`, in order, which TensorFlow 1 also has in a separate module."""
    return tuple(
        export_value(value, f"saved_model.{name}", f"compat.v1.saved_model.{module}.{name}")
        for name, value in values.items()
    )


(
    ASSETS_DIRECTORY, ASSETS_KEY, DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB, SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT, SAVED_MODEL_SCHEMA_VERSION, VARIABLES_DIRECTORY, VARIABLES_FILENAME,
) = _constants(
    "constants",
    ASSETS_DIRECTORY="assets", ASSETS_KEY="saved_model_assets", DEBUG_DIRECTORY="debug",
    DEBUG_INFO_FILENAME_PB="saved_model_debug_info.pb", SAVED_MODEL_FILENAME_PB="saved_model.pb",
    SAVED_MODEL_FILENAME_PBTXT="saved_model.pbtxt", SAVED_MODEL_SCHEMA_VERSION=1, VARIABLES_DIRECTORY="variables",
    VARIABLES_FILENAME="variables",
)
(
    CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME, CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY, PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS, REGRESS_INPUTS,
    REGRESS_METHOD_NAME, REGRESS_OUTPUTS,
) = _constants(
    "signature_constants",
    CLASSIFY_INPUTS="inputs", CLASSIFY_METHOD_NAME="tensorflow/serving/classify", CLASSIFY_OUTPUT_CLASSES="classes",
    CLASSIFY_OUTPUT_SCORES="scores", DEFAULT_SERVING_SIGNATURE_DEF_KEY="serving_default", PREDICT_INPUTS="inputs",
    PREDICT_METHOD_NAME="tensorflow/serving/predict", PREDICT_OUTPUTS="outputs", REGRESS_INPUTS="inputs",
    REGRESS_METHOD_NAME="tensorflow/serving/regress", REGRESS_OUTPUTS="outputs",
)
GPU, SERVING, TPU, TRAINING = _constants("tag_constants", GPU="gpu", SERVING="serve", TPU="tpu", TRAINING="train")
MAIN_OP_KEY = export_value(
    "saved_model_main_op", "compat.v1.saved_model.MAIN_OP_KEY", "compat.v1.saved_model.constants.MAIN_OP_KEY"
)
LEGACY_INIT_OP_KEY = export_value(
    "legacy_init_op", "compat.v1.saved_model.LEGACY_INIT_OP_KEY", "compat.v1.saved_model.constants.LEGACY_INIT_OP_KEY"
)
