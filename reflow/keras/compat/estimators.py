"""`tf.keras.estimator.model_to_estimator`: a compiled Keras model with an estimator's methods and folder."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np

from reflow.compat.wrapped import wrap_function
from reflow.core.specs import TensorSpec
from reflow.data.dataset import DatasetV2
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.estimator import exporting
from reflow.estimator.estimator import Estimator, write_metrics
from reflow.estimator.input_functions import called
from reflow.estimator.run_config import RunConfig
from reflow.estimator.spec import ModeKeys
from reflow.function.function import function
from reflow.saved_model.saving import save
from reflow.train.checkpoint import Checkpoint
from reflow.train.manager import CheckpointManager


class KerasEstimator(Estimator):
    """Trains a copy of a model step by step, and keeps it in checkpoints of objects."""

    def __init__(
        self, model: Any, model_dir: Any, config: RunConfig | None, metric_names: dict[str, str] | None = None
    ) -> None:
        super().__init__(lambda features, labels, mode: None, model_dir, config)
        self._model = keras.models.clone_model(model)
        self._model.set_weights(model.get_weights())
        self._model.compile_from_config(model.get_compile_config())
        self._metric_names = metric_names or {}
        self._counter = Variable(0, dtype="int64", name="global_step")
        saved = Checkpoint(model=self._model, optimizer=self._model.optimizer, global_step=self._counter)
        kept = self._config.keep_checkpoint_max
        self._manager = CheckpointManager(saved, self.model_dir, kept, checkpoint_name="model.ckpt")

    def _batches(self, input_fn: Callable, mode: str) -> Iterator[tuple]:
        """Pairs of features and labels, which are None if there are none."""
        result = called(input_fn, mode=mode, config=self._config)
        if not isinstance(result, DatasetV2):
            result = itertools.repeat(result)
        for batch in result:
            features, labels = batch if isinstance(batch, tuple) else (batch, None)
            yield self._inputs(features), labels

    def _inputs(self, features: Any) -> Any:
        """Features by name as the model takes them: a tensor, or a list in the order of its inputs."""
        if not isinstance(features, dict) or isinstance(getattr(self._model, "input", {}), dict):
            return features
        names = [tensor.name for tensor in self._model.inputs]
        if not set(names) <= set(features):
            raise KeyError(
                "The dictionary passed into features does not have the expected inputs keys defined in the keras model."
                f"\n\tExpected keys: {set(names)}\n\tfeatures keys: {set(features)}"
            )
        found = [features[name] for name in names]
        return found[0] if len(found) == 1 else found

    def _restore(self, path: str | None = None) -> None:
        found = path or self._manager.latest_checkpoint
        if found:
            self._manager.checkpoint.restore(found).expect_partial()

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None) -> KerasEstimator:
        if hooks or saving_listeners:
            raise ValueError("The estimator of a Keras model takes no hooks and no listeners: it runs no sessions.")
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        self._restore()
        done, every = int(self._counter), self._config.save_checkpoints_steps
        last = max_steps if max_steps is not None else None if steps is None else done + steps
        for features, labels in self._batches(input_fn, "train"):
            if last is not None and int(self._counter) >= last:
                break
            self._model.train_on_batch(features, labels)
            step = int(self._counter.assign_add(1))
            if every and step % every == 0:
                self._manager.save(step)
        if int(self._counter) > done:
            self._manager.save(int(self._counter))
        return self

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None) -> dict:
        if hooks:
            raise ValueError("The estimator of a Keras model takes no hooks: it runs no sessions.")
        self._restore(checkpoint_path)
        self._model.reset_metrics()
        values: dict = {}
        for features, labels in itertools.islice(self._batches(input_fn, "eval"), steps):
            values = self._model.test_on_batch(features, labels, return_dict=True)
        named = {self._metric_names.get(key, key): np.float32(value) for key, value in values.items()}
        result = named | {"global_step": np.int64(self._counter.numpy())}
        write_metrics(self.eval_dir(name), result, checkpoint_path or self._manager.latest_checkpoint)
        return result

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True):
        if hooks:
            raise ValueError("The estimator of a Keras model takes no hooks: it runs no sessions.")
        self._restore(checkpoint_path)
        for features, _ in self._batches(input_fn, "infer"):
            outputs = self._model.predict_on_batch(features)
            named = self._named(outputs)
            chosen = {key: value for key, value in named.items() if not predict_keys or key in predict_keys}
            if not yield_single_examples:
                yield chosen
                continue
            for i in range(len(next(iter(chosen.values())))):
                yield {key: value[i] for key, value in chosen.items()}

    def _named(self, outputs: Any) -> dict:
        """What the model gives, by the names of its outputs."""
        values = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        names = getattr(self._model, "output_names", None) or [self._model.layers[-1].name]
        return outputs if isinstance(outputs, dict) else dict(zip(names, values, strict=True))

    def export_saved_model(
        self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False, checkpoint_path=None,
        experimental_mode=ModeKeys.PREDICT,
    ) -> bytes:
        """Write a SavedModel whose signature takes what `serving_input_receiver_fn` receives and gives the model's
        outputs by name."""
        if as_text or experimental_mode != ModeKeys.PREDICT:
            raise ValueError("The estimator of a Keras model is exported for predictions, in binary.")
        self._restore(checkpoint_path or self._trained())
        received: dict[str, Any] = {}

        def serve() -> dict:
            receiver = serving_input_receiver_fn()
            received.update(receiver.receiver_tensors)
            return self._named(self._model(self._inputs(receiver.features), training=False))

        whole = wrap_function(serve, [])
        keys = sorted(received)
        part = whole.prune([received[key] for key in keys], whole.structured_outputs)
        specs = [TensorSpec(received[key].shape, received[key].dtype, key) for key in keys]
        module: Any = Module()
        module.model = self._model
        module.serve = function(lambda *tensors: part(*tensors), input_signature=specs)
        with exporting.new_folder(export_dir_base, assets_extra) as folder:
            save(module, folder.temporary, signatures=module.serve)
        return folder.final.encode()


def model_to_estimator(
    keras_model=None, keras_model_path=None, custom_objects=None, model_dir=None, config=None,
    checkpoint_format="checkpoint", metric_names_map=None, export_outputs=None,
) -> KerasEstimator:
    """An estimator of a compiled Keras model, or of one in a file.

    >>> model = tf.keras.Sequential([tf.keras.Input([1]), tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> import tempfile
    >>> estimator = tf.keras.estimator.model_to_estimator(model, model_dir=tempfile.mkdtemp())
    >>> int(
    ...     estimator.train(
    ...         lambda: (tf.ones([2, 1]), tf.ones([2, 1])), steps=3
    ...     ).evaluate(lambda: None, steps=0)["global_step"]
    ... )
    3
    """
    if (keras_model is None) == (keras_model_path is None):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided, and not both.")
    if checkpoint_format != "checkpoint" or export_outputs:
        raise ValueError(
            "model_to_estimator: only the checkpoint_format 'checkpoint' is supported, and no export_outputs."
        )
    if keras_model is None:
        keras_model = keras.models.load_model(os.fspath(keras_model_path), custom_objects=custom_objects)
    if getattr(keras_model, "optimizer", None) is None:
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with `model.compile()` before "
            "calling `model_to_estimator()`."
        )
    return KerasEstimator(keras_model, model_dir, config, metric_names_map)
