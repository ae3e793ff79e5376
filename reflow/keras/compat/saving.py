"""Saving in the formats of Keras 2, chosen by the file name: `.h5`, TensorFlow checkpoints, SavedModel folders.

| name | `save_weights` | `save` |
|---|---|---|
| `x.weights.h5`, `x.keras` | Keras 3 | Keras 3 |
| `x.h5`, `x.hdf5`, `save_format="h5"` | the layers' arrays, as Keras 2 laid them out | Keras 3's `.h5` |
| anything else | a TensorFlow checkpoint | a SavedModel folder, with the model as `.keras` among its extra assets |

Files are written atomically: if the disk is full, the previous file remains.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from reflow.core import logging as log
from reflow.core.os_errors import os_errors
from reflow.keras.compat import archives, folders
from reflow.keras.compat.patching import publish, wrap
from reflow.saved_model.saving import save as save_to_folder
from reflow.train import commit
from reflow.train.checkpoint import Checkpoint
from reflow.train.checkpoint_state import update_checkpoint_state

_H5 = (".h5", ".hdf5")
#: of a SavedModel, for what TensorFlow itself does not read
_EXTRA = os.path.join("assets.extra", "model.keras")
#: Keras says this where it opens the file itself
_LEGACY = (
    "You are saving your model as an HDF5 file via `model.save()` or `keras.saving.save_model(model)`. This file "
    "format is considered legacy. We recommend using instead the native Keras format, e.g. "
    "`model.save('my_model.keras')` or `keras.saving.save_model(model, 'my_model.keras')`. "
)


def install(keras) -> None:
    archives.install(sys.modules["keras.src.utils.file_utils"])
    _whole_files(sys.modules["keras.src.saving.saving_lib"])
    _weights(keras.Model)
    _models(keras)
    _checkpoints(keras.callbacks.ModelCheckpoint)
    _short_names(keras)


def _h5_format() -> types.ModuleType:
    return sys.modules["keras.src.legacy.saving.legacy_h5_format"]


def _is_h5(path: str, save_format) -> bool:
    return save_format in ("h5", "hdf5", "keras_h5") or (save_format is None and path.endswith(_H5))


# --- whole files


def _whole_files(saving_lib) -> None:
    """Let Keras write a file next to the one that it replaces."""
    for name, ending in (("save_model", ".keras"), ("save_weights_only", ".weights.h5")):

        @wrap(saving_lib, name)
        def save(original, model, filepath, *args, ending=ending, **kwargs):
            path = os.fspath(filepath) if isinstance(filepath, (str, os.PathLike)) else ""
            if not path.endswith(ending) or not os.path.isdir(os.path.dirname(path) or ".") or _is_special(path):
                return original(model, filepath, *args, **kwargs)
            with os_errors(path), commit.replaced(os.path.realpath(path), ending) as new:
                original(model, new, *args, **kwargs)
            archives.harmless(path)


def _is_special(path: str) -> bool:
    """Whether something else than a file has this name: a folder, a device."""
    return os.path.exists(path) and not os.path.isfile(path)


def _write_h5(path: str, fill: Callable[[Any], None]) -> None:
    """Write the HDF5 file that `fill` fills. It is made in memory: its library ends the process when a write fails."""
    import h5py

    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        fill(file)
    with os_errors(path):
        commit.replace_file(os.path.realpath(path), content.getvalue())
    archives.harmless(path)


# --- weights


def _weights(model) -> None:
    @wrap(model, "save_weights")
    def save_weights(original, self, filepath, overwrite=True, save_format=None, options=None, **kwargs):
        path = os.fspath(filepath)
        if kwargs or (save_format is None and path.endswith((".weights.h5", ".weights.json"))):
            return original(self, filepath, overwrite=overwrite, **kwargs)
        if not self.built:
            raise ValueError(
                f"Weights for model '{self.name}' have not yet been created. Weights are created when the model is "
                "first called on inputs or `build()` is called with an `input_shape`."
            )
        if not _is_h5(path, save_format):
            return _write_checkpoint(self, path, options)
        if not overwrite and os.path.exists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        return _write_h5(path, lambda file: _h5_format().save_weights_to_hdf5_group(file, self))

    @wrap(model, "load_weights")
    def load_weights(original, self, filepath, skip_mismatch=False, by_name=False, options=None, **kwargs):
        path = os.fspath(filepath)
        if os.path.exists(f"{path}.index"):
            status = Checkpoint(self).read(path, options)
            if self.built:
                status.assert_nontrivial_match()
            return status.expect_partial()
        if by_name:
            kwargs["by_name"] = True
        with archives.opened(path):
            return original(self, filepath, skip_mismatch=skip_mismatch, **kwargs)


def _write_checkpoint(model, path: str, options) -> None:
    Checkpoint(model).write(path, options)
    update_checkpoint_state(os.path.dirname(path) or ".", path, [path], save_relative_paths=True)


# --- models


def _models(keras) -> None:
    saving_api = sys.modules["keras.src.saving.saving_api"]
    save_keras, load_keras = saving_api.save_model, saving_api.load_model

    def save_model(
        model, filepath, overwrite=True, include_optimizer=True, save_format=None, signatures=None, options=None,
        save_traces=True, zipped=None, **kwargs,
    ):
        """Save a model: as `.keras` or `.h5` by the name's end, else as a SavedModel folder, to which `signatures` and
        `options` belong. It holds the traces whatever `save_traces` says, and also the whole model."""
        path = os.fspath(filepath)
        if save_format == "keras" or path.endswith(".keras") or zipped is not None:
            return save_keras(model, filepath, overwrite=overwrite, zipped=zipped, **kwargs)
        io_utils = sys.modules["keras.src.utils.io_utils"]
        if not overwrite and os.path.exists(path) and not io_utils.ask_to_proceed_with_overwrite(path):
            return None
        if _is_h5(path, save_format):
            return _save_h5(model, path, include_optimizer)
        return _save_folder(model, path, save_keras, signatures, options)

    def load_model(filepath, custom_objects=None, compile=True, safe_mode=True, options=None, **kwargs):
        """Load a model from a file or from a SavedModel folder."""
        is_path = isinstance(filepath, (str, os.PathLike))
        if is_path and os.path.exists(os.path.join(filepath, "saved_model.pb")):
            return _load_folder(keras, os.fspath(filepath), load_keras, custom_objects, compile, safe_mode)
        with archives.opened(filepath) if is_path else contextlib.nullcontext():
            return load_keras(filepath, custom_objects=custom_objects, compile=compile, safe_mode=safe_mode, **kwargs)

    for function in (save_model, load_model):
        setattr(saving_api, function.__name__, function)
        publish(function.__name__, function, "models", "saving")
    keras.Model.save = lambda self, filepath, overwrite=True, *args, **kwargs: save_model(
        self, filepath, overwrite, *args, **kwargs
    )


def _save_h5(model, path: str, include_optimizer: bool) -> None:
    """Keras 3.15 takes the optimizer out of the model's own record when it writes one.

    A later `.keras` would lack it.
    """
    sys.modules["absl.logging"].warning(_LEGACY)
    record = getattr(model, "_compile_config", None)
    before = None if record is None else dict(record.config)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    _write_h5(path, lambda file: _h5_format().save_model_to_hdf5(model, file, True, include_optimizer))
    if record is not None:
        record.config.update(before)


def _save_folder(model, path: str, save_keras, signatures, options) -> None:
    if signatures is None and options is None:
        model.export(path, verbose=False)
    else:
        save_to_folder(model, path, signatures, options)
    extra = os.path.join(path, _EXTRA)
    os.makedirs(os.path.dirname(extra), exist_ok=True)
    save_keras(model, extra)


def _load_folder(keras, path: str, load_keras, custom_objects, compile, safe_mode):
    """The model, if it was saved here or by Keras 2, and its classes are known.

    Else what its serving signature computes.
    """
    extra = os.path.join(path, _EXTRA)
    if os.path.exists(extra):
        try:
            with archives.opened(extra):
                return load_keras(extra, custom_objects=custom_objects, compile=compile, safe_mode=safe_mode)
        except TypeError as error:
            if "Could not locate class" not in str(error):
                raise
    if folders.has_metadata(path):
        try:
            return folders.load(keras, path, custom_objects, compile)
        except (TypeError, ValueError) as error:
            log.warn("The Keras model in %s cannot be made anew, only called: %s", path, error)
    served = keras.layers.TFSMLayer(path, call_endpoint="serving_default")
    return keras.Sequential([served, keras.layers.Lambda(_only_output)])


def _only_output(outputs: dict):
    return next(iter(outputs.values())) if len(outputs) == 1 else outputs


# --- callback


def _checkpoints(callback) -> None:
    """`ModelCheckpoint` with any name, and with `period=`: after every so many epochs."""

    @wrap(callback, "__init__")
    def init(original, self, filepath, *args, period=1, options=None, load_weights_on_restart=False, **kwargs):
        path = os.fspath(filepath)
        original(self, path if path.endswith((".weights.h5", ".keras")) else f"{path}.weights.h5", *args, **kwargs)
        self.filepath, self.period, self._epochs_seen = path, period, 0

    @wrap(callback, "on_epoch_end")
    def on_epoch_end(original, self, epoch, logs=None):
        self._epochs_seen += 1
        if self._epochs_seen % self.period == 0:
            original(self, epoch, logs)


# --- names in files


def _short_names(keras) -> None:
    """Losses and metrics that were compiled by a short name, `"mse"`, are stored by it, and activations by an old one;
    Keras 3.15 finds only its own names."""
    library = sys.modules["keras.src.saving.serialization_lib"]
    short = {
        name: function
        for module in ("losses", "activations")
        for name, function in sys.modules[f"keras.src.{module}"].ALL_OBJECTS_DICT.items()
        if isinstance(function, types.FunctionType)
    }
    retrieve = library._retrieve_class_or_fn

    def retrieve_class_or_fn(name, registered_name, module, obj_type, full_config, custom_objects=None):
        try:
            return retrieve(name, registered_name, module, obj_type, full_config, custom_objects)
        except (TypeError, ValueError):
            named = (full_config or {}).get("registered_name") not in (None, name, "function")
            if obj_type != "function" or name not in short or named:
                raise
            return short[name]

    vars(library)["_retrieve_class_or_fn"] = retrieve_class_or_fn
