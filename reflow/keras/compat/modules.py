"""Modules and classes that Keras 3 dropped: `layers.experimental`, `experimental`, `wrappers.scikit_learn`,
`estimator`, `LocallyConnected1D` and `2D`."""

from __future__ import annotations

import functools
import importlib
import sys
import types

from reflow.keras.compat import classes, feature_layers, locally_connected, premade, scikit_learn

_ROOT = "keras._tf_keras.keras"
_PREPROCESSING = (
    "CategoryEncoding", "CenterCrop", "Discretization", "HashedCrossing", "Hashing", "IntegerLookup", "Normalization",
    "RandomContrast", "RandomCrop", "RandomFlip", "RandomHeight", "RandomRotation", "RandomTranslation",
    "RandomWidth", "RandomZoom", "Rescaling", "Resizing", "StringLookup", "TextVectorization", "PreprocessingLayer",
)


#: names that Keras 3 has in `keras` and not in `tf.keras`, or has in another module: tf.keras path -> keras path
_ELSEWHERE = {
    **{
        f"{module}.{name}": f"losses.{name}"
        for module in ("losses", "metrics")
        for name in (
            "kl_divergence",
            "mean_absolute_error",
            "mean_absolute_percentage_error",
            "mean_squared_error",
            "mean_squared_logarithmic_error",
        )
    },
    "losses.log_cosh": "losses.log_cosh",
    "metrics.log_cosh": "losses.log_cosh",
    "layers.experimental.preprocessing.PreprocessingLayer": "layers.Layer",
    "saving": "saving",
}
_OPTIMIZERS = (
    "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "SGD",
)


def install(keras) -> None:
    layers = _public("layers")
    for cls in (
        locally_connected.LocallyConnected1D, locally_connected.LocallyConnected2D, feature_layers.DenseFeatures
    ):
        setattr(layers, cls.__name__, cls)
    classes.install(layers, _public("metrics"))
    chosen = {name: getattr(layers, name) for name in _PREPROCESSING if hasattr(layers, name)}
    _module(
        "layers.experimental", SyncBatchNormalization=_sync_batch_normalization(keras), EinsumDense=layers.EinsumDense,
        RandomFourierFeatures=layers.RandomFourierFeatures,
    )
    _module("layers.experimental.preprocessing", **chosen)
    schedules = keras.optimizers.schedules
    _module(
        "experimental", CosineDecay=schedules.CosineDecay, CosineDecayRestarts=schedules.CosineDecayRestarts,
        SequenceFeatures=feature_layers.SequenceFeatures, LinearModel=premade.LinearModel,
        WideDeepModel=premade.WideDeepModel,
    )
    _module("optimizers.experimental", **{name: getattr(keras.optimizers, name) for name in _OPTIMIZERS})
    mixed = _public("mixed_precision")
    _module(
        "mixed_precision.experimental", Policy=mixed.Policy, set_policy=mixed.set_global_policy,
        global_policy=mixed.global_policy, LossScaleOptimizer=mixed.LossScaleOptimizer,
    )
    _module("callbacks.experimental", BackupAndRestore=keras.callbacks.BackupAndRestore)
    wrappers = (scikit_learn.BaseWrapper, scikit_learn.KerasClassifier, scikit_learn.KerasRegressor)
    _module("wrappers.scikit_learn", **{cls.__name__: cls for cls in wrappers})
    _module("estimator", model_to_estimator=_model_to_estimator)
    for path, source in _ELSEWHERE.items():
        module, _, name = path.rpartition(".")
        setattr(_public(module), name, functools.reduce(getattr, source.split("."), keras))
    old = importlib.import_module("keras.src.legacy.saving.saving_utils")
    vars(_public("models"))["model_from_config"] = old.model_from_config
    _public("preprocessing.image").Iterator.next = lambda self: next(self)
    for module in ("image", "sequence"):  # `keras.preprocessing` has fewer names than that of `tf.keras`
        for name, value in vars(_public(f"preprocessing.{module}")).items():
            vars(getattr(keras.preprocessing, module)).setdefault(name, value)


def _public(path: str) -> types.ModuleType:
    """The module `tf.keras.path`."""
    return importlib.import_module(f"{_ROOT}.{path}" if path else _ROOT)


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
    # `keras` is an argument
    class SyncBatchNormalization(keras.layers.BatchNormalization):  # type: ignore[name-defined]
        """Batch normalization over all replicas."""

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **{**kwargs, "synchronized": True})

    return SyncBatchNormalization


def _model_to_estimator(*args, **kwargs):
    """See `estimators.model_to_estimator`, which is imported with `tf.estimator` when it is first called."""
    from reflow.keras.compat.estimators import model_to_estimator

    return model_to_estimator(*args, **kwargs)
