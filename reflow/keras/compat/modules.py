"""Modules and classes that Keras 3 dropped: `layers.experimental`, `experimental`, `wrappers.scikit_learn`, `estimator`,
`LocallyConnected1D` and `2D`."""

from __future__ import annotations

import sys
import types

from reflow.keras.compat import locally_connected, scikit_learn

_ROOT = "keras._tf_keras.keras"
_PREPROCESSING = (
    "CategoryEncoding",
    "CenterCrop",
    "Discretization",
    "HashedCrossing",
    "Hashing",
    "IntegerLookup",
    "Normalization",
    "RandomContrast",
    "RandomCrop",
    "RandomFlip",
    "RandomHeight",
    "RandomRotation",
    "RandomTranslation",
    "RandomWidth",
    "RandomZoom",
    "Rescaling",
    "Resizing",
    "StringLookup",
    "TextVectorization",
    "PreprocessingLayer",
)


def install(keras) -> None:
    layers = sys.modules[f"{_ROOT}.layers"]
    for cls in (locally_connected.LocallyConnected1D, locally_connected.LocallyConnected2D):
        setattr(layers, cls.__name__, cls)
    chosen = {name: getattr(layers, name) for name in _PREPROCESSING if hasattr(layers, name)}
    _module(
        "layers.experimental",
        SyncBatchNormalization=_sync_batch_normalization(keras),
        EinsumDense=layers.EinsumDense,
        RandomFourierFeatures=getattr(layers, "RandomFourierFeatures", None),
    )
    _module("layers.experimental.preprocessing", **chosen)
    schedules = keras.optimizers.schedules
    _module("experimental", CosineDecay=schedules.CosineDecay, CosineDecayRestarts=schedules.CosineDecayRestarts)
    wrappers = (scikit_learn.BaseWrapper, scikit_learn.KerasClassifier, scikit_learn.KerasRegressor)
    _module("wrappers.scikit_learn", **{cls.__name__: cls for cls in wrappers})
    _module("estimator", model_to_estimator=_no_estimators)


def _module(path: str, **names) -> types.ModuleType:
    """A module below `tf.keras`, known to the import system and to its parent."""
    full = f"{_ROOT}.{path}"
    parent, _, leaf = full.rpartition(".")
    module = sys.modules[full] = types.ModuleType(full, f"Names of Keras 2: tf.keras.{path}.")
    module.__path__ = []
    vars(module).update({name: value for name, value in names.items() if value is not None})
    if parent not in sys.modules:
        __import__(parent)
    setattr(sys.modules[parent], leaf, module)
    return module


def _sync_batch_normalization(keras):
    @keras.saving.register_keras_serializable("Reflow")
    class SyncBatchNormalization(keras.layers.BatchNormalization):
        """Batch normalization over all replicas."""

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **{**kwargs, "synchronized": True})

    return SyncBatchNormalization


def _no_estimators(*args, **kwargs):
    raise NotImplementedError(
        "Estimators left TensorFlow in version 2.16: train the tf.keras model itself, with model.fit()."
    )
