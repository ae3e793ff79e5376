"""The public names of `tf.saved_model`."""

from __future__ import annotations

from reflow.api.export import export_value
from reflow.api.framework import graph_names  # noqa: F401 - exports tf.import_graph_def
from reflow.saved_model import asset, load, options, resource, save, signatures

export_value(save.save, "saved_model.save")
export_value(load.load, "saved_model.load")
export_value(load.contains_saved_model, "saved_model.contains_saved_model")
export_value(options.SaveOptions, "saved_model.SaveOptions")
export_value(options.LoadOptions, "saved_model.LoadOptions")
export_value(options.VariablePolicy, "saved_model.experimental.VariablePolicy")
export_value(asset.Asset, "saved_model.Asset")
export_value(resource.TrackableResource, "saved_model.experimental.TrackableResource")

for _name, _value in {
    "ASSETS_DIRECTORY": "assets",
    "ASSETS_KEY": "saved_model_assets",
    "CLASSIFY_INPUTS": "inputs",
    "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
    "CLASSIFY_OUTPUT_CLASSES": "classes",
    "CLASSIFY_OUTPUT_SCORES": "scores",
    "DEBUG_DIRECTORY": "debug",
    "DEBUG_INFO_FILENAME_PB": "saved_model_debug_info.pb",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": signatures.DEFAULT_KEY,
    "GPU": "gpu",
    "PREDICT_INPUTS": "inputs",
    "PREDICT_METHOD_NAME": "tensorflow/serving/predict",
    "PREDICT_OUTPUTS": "outputs",
    "REGRESS_INPUTS": "inputs",
    "REGRESS_METHOD_NAME": "tensorflow/serving/regress",
    "REGRESS_OUTPUTS": "outputs",
    "SAVED_MODEL_FILENAME_PB": "saved_model.pb",
    "SAVED_MODEL_FILENAME_PBTXT": "saved_model.pbtxt",
    "SAVED_MODEL_SCHEMA_VERSION": 1,
    "SERVING": save.SERVE,
    "TPU": "tpu",
    "TRAINING": "train",
    "VARIABLES_DIRECTORY": "variables",
    "VARIABLES_FILENAME": "variables",
}.items():
    export_value(_value, f"saved_model.{_name}")
