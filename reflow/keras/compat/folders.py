"""Loads Keras 2 SavedModels as Keras models.

Keras 2 wrote a file `keras_metadata.pb` into the folder: a list of Keras' own objects, each with its path from the root
(`root.layer-1`), its kind (`_tf_keras_sequential`), and JSON with its class, its configuration and its compile
arguments. So the model can be rebuilt, and the variables of the SavedModel provide its weights, layer by layer.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from tensorboard.compat.proto import versions_pb2

from reflow.io.messages import define
from reflow.saved_model.loading import load as load_objects

FILENAME = "keras_metadata.pb"
SavedMetadata = define(
    "keras_metadata.proto",
    [versions_pb2],
    {
        "SavedObject": [
            (2, "int32", "node_id"), (3, "string", "node_path"), (4, "string", "identifier"), (5, "string", "metadata"),
            (6, ".tensorboard.VersionDef", "version"),
        ],
        "SavedMetadata": [(1, "repeated .reflow.SavedObject", "nodes")],
    },
)["SavedMetadata"]
_ROOT = "root"


def has_metadata(folder: str) -> bool:
    """Whether a SavedModel is one of Keras 2."""
    return os.path.exists(os.path.join(folder, FILENAME))


def load(keras: Any, folder: str, custom_objects: dict[str, Any] | None, compiled: bool) -> Any:
    """The model of a folder. ValueError if its file cannot be read, or its root is not a model with a configuration."""
    described = _descriptions(folder)
    root = described.get(_ROOT, {})
    if "class_name" not in root or not isinstance(root.get("config"), dict):
        raise ValueError(f"The root of the SavedModel in {folder} is no model with a configuration.")
    saving = sys.modules["keras.src.legacy.saving.saving_utils"]
    config = {"class_name": root["class_name"], "config": _renumbered(root["config"])}
    model = saving.model_from_config(config, custom_objects=custom_objects)
    if not model.built and root.get("build_input_shape") is not None:
        model.build(tuple(root["build_input_shape"]))
    _give_weights(model, load_objects(folder), described)
    if compiled and root.get("training_config"):
        model.compile(**saving.compile_args_from_training_config(_unwrapped(root["training_config"]), custom_objects))
        if hasattr(model.optimizer, "build"):
            model.optimizer.build(model.trainable_variables)
    return model


def _descriptions(folder: str) -> dict[str, dict[str, Any]]:
    """The JSON of each of Keras' objects, by its path from the root."""
    path = pathlib.Path(folder, FILENAME)
    try:
        nodes = SavedMetadata.FromString(path.read_bytes()).nodes  # type: ignore[attr-defined]
        return {node.node_path: _plain(json.loads(node.metadata)) for node in nodes}
    except (DecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"Cannot parse {path}: {error}") from None


def _plain(value: Any) -> Any:
    """A value of the JSON; tuples and shapes are marked there."""
    if isinstance(value, dict):
        if value.get("class_name") in ("__tuple__", "TensorShape") and "items" in value:
            return tuple(_plain(item) for item in value["items"])
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _renumbered(config: dict[str, Any]) -> dict[str, Any]:
    """A model's configuration in which the first call of a nested sequential model has the number 0, as in Keras 3:
    Keras 2 counts its own inputs as a call before it."""
    layers = [layer for layer in config.get("layers", ()) if isinstance(layer, dict)]
    nested = {layer.get("name") for layer in layers if layer.get("class_name") == "Sequential"}

    def counted(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            if len(value) >= 3 and isinstance(value[0], str) and value[0] in nested and isinstance(value[1], int):
                return [value[0], max(value[1] - 1, 0), *value[2:]]
            return [counted(item) for item in value]
        return value

    for layer in layers:
        if isinstance(layer.get("config"), dict):
            layer["config"] = _renumbered(layer["config"])
    changed = [
        {**layer, "inbound_nodes": counted(layer["inbound_nodes"])} if "inbound_nodes" in layer else layer
        for layer in layers
    ]
    named = [key for key in config if key in ("input_layers", "output_layers")]
    ends = {key: counted(config[key]) for key in named}
    # a single tensor is not a list of one
    ends = {key: value[0] if len(value) == 1 else value for key, value in ends.items()}
    return {**config, "layers": changed, **ends} if layers else config


def _unwrapped(value: Any) -> Any:
    """What a model was compiled with; a metric or loss of a function is the function's name."""
    if isinstance(value, dict):
        config = value.get("config")
        named = isinstance(config, dict) and isinstance(config.get("fn"), str)
        if named and value.get("class_name") in ("MeanMetricWrapper", "LossFunctionWrapper"):
            return value["config"]["fn"]
        return {key: _unwrapped(item) for key, item in value.items()}
    return [_unwrapped(item) for item in value] if isinstance(value, list) else value


def _give_weights(model: Any, loaded: Any, described: dict[str, dict[str, Any]]) -> None:
    """Give each layer the values of the variables that its object in the SavedModel has.

    Trainable ones first, as in Keras 2.
    """
    saved = {}
    for path, description in described.items():
        parts = path.split(".")
        if len(parts) == 2 and parts[1].startswith(("layer-", "layer_with_weights-")):
            saved[description.get("name")] = getattr(loaded, parts[1])
    for layer in model.layers:
        weights = [*layer.trainable_weights, *layer.non_trainable_weights]
        values = [np.asarray(v) for v in getattr(saved.get(layer.name), "variables", ())]
        if len(values) != len(weights):
            raise ValueError(
                f"The layer {layer.name!r} has {len(weights)} weights, the SavedModel {len(values)} for it."
            )
        for weight, value in zip(weights, values, strict=True):
            weight.assign(value)
