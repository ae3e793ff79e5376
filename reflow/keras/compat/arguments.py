"""Arguments of functions and layers that Keras 3 renamed, dropped, or checks more strictly."""

from __future__ import annotations

import functools
import importlib
import operator

from reflow.keras.compat.patching import publish, wrap

#: layers that reject NumPy integers (`Dense(np.prod(shape))`), which Keras 2 accepted
_INTEGERS = (
    "Dense",
    "Embedding",
    "EinsumDense",
    "MultiHeadAttention",
    "RepeatVector",
    "UpSampling1D",
    "GroupNormalization",
)
#: arguments of layers without a meaning on TensorFlow 2, or that Keras 3 always does
_DROPPED = (
    ("Softmax", ("robust_masking",)), ("MultiHeadAttention", ("softmax_robust_masking",)), ("Embedding", ("sparse",))
)


def install(keras) -> None:
    for name in _INTEGERS:
        _take_numpy_integers(getattr(keras.layers, name))
    for name, dropped in _DROPPED:
        _drop(getattr(keras.layers, name), dropped)
    for name, take in (("to_categorical", _to_categorical), ("load_img", _load_img)):
        function = getattr(keras.utils, name)
        publish(name, functools.wraps(function)(functools.partial(take, function)), "utils")
    images = importlib.import_module("keras._tf_keras.keras.preprocessing.image")
    vars(images)["load_img"] = keras.utils.load_img


def _take_numpy_integers(cls) -> None:
    @wrap(cls, "__init__")
    def init(original, self, *args, **kwargs):
        original(self, *map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})


def _plain(value):
    """A Python number for NumPy's integers and arrays of one."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 and value.dtype.kind in "iu":
        return operator.index(value)
    return value


def _drop(cls, names) -> None:
    @wrap(cls, "__init__")
    def init(original, self, *args, **kwargs):
        original(self, *args, **{name: value for name, value in kwargs.items() if name not in names})


def _to_categorical(function, y=None, num_classes=None, dtype="float32", x=None):
    found = function(y if x is None else x, num_classes)
    return found.astype(dtype) if hasattr(found, "astype") else found


def _load_img(function, path, grayscale=False, *args, **kwargs):
    if isinstance(grayscale, str):  # Keras 3's order: color_mode is second
        return function(path, grayscale, *args, **kwargs)
    if grayscale:
        kwargs["color_mode"] = "grayscale"
    return function(path, *(("rgb", *args) if args else ()), **kwargs)
