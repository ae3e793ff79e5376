"""Export outputs of a model function, each of which becomes a signature (`tf.estimator.export`)."""

from __future__ import annotations

import abc
from typing import Any

from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.compat.saved_model import signature_defs
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable
from reflow.graph.node import Node
from reflow.ops.convert import constant

_ONE_STRING = (
    "{} signatures can only accept a single tensor input of type tf.string. Please check to make sure that you have "
    "structured the serving_input_receiver_fn so that it creates a single string placeholder. If your model function "
    "expects multiple inputs, then use `tf.io.parse_example()` to parse the string into "
    "multiple tensors.\n Received: {}"
)


def _in_estimator(name: str) -> Any:
    return export(f"estimator.export.{name}", f"compat.v1.estimator.export.{name}")


@_in_estimator("ExportOutput")
class ExportOutput(abc.ABC):
    """Base of the kinds of outputs.

    >>> issubclass(tf.estimator.export.PredictOutput, tf.estimator.export.ExportOutput)
    True
    """

    outputs: dict[str, Any]

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """The SignatureDef from the tensors that a request feeds to these outputs."""

    @staticmethod
    def _check_output_key(key: Any, error_label: str) -> str:
        if isinstance(key, tuple):
            key = "/".join(key)
        if not isinstance(key, str):
            raise ValueError(f"{error_label} output key must be a string; got {key}.")
        return key

    def _wrap_and_check_outputs(
        self, outputs: Any, single_output_default_name: str, error_label: str | None = None
    ) -> dict[str, Any]:
        """Tensors by name; a single one gets the default name."""
        label = error_label or single_output_default_name
        named = outputs if isinstance(outputs, dict) else {single_output_default_name: outputs}
        checked = {}
        for key, value in named.items():
            key = self._check_output_key(key, label)
            if not isinstance(value, Tensor):
                raise ValueError(f"{label} output value must be a Tensor; got {value}.")
            checked[key] = value
        return checked


def _only_string(receiver_tensors: dict[str, Any], kind: str) -> Any:
    """The one tensor of strings that requests feed."""
    if len(receiver_tensors) != 1 or dtypes.as_dtype(next(iter(receiver_tensors.values())).dtype) is not dtypes.string:
        raise ValueError(_ONE_STRING.format(kind, receiver_tensors))
    return next(iter(receiver_tensors.values()))


@_in_estimator("PredictOutput")
class PredictOutput(ExportOutput):
    """Tensors by name, of any kind.

    >>> with tf.Graph().as_default():
    ...     sorted(tf.estimator.export.PredictOutput(tf.constant([1.0])).outputs)
    ['output']
    """

    def __init__(self, outputs: Any) -> None:
        self.outputs = self._wrap_and_check_outputs(outputs, "output", error_label="Prediction")

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        return signature_defs.predict_signature_def(receiver_tensors, self.outputs)


@_in_estimator("ClassificationOutput")
class ClassificationOutput(ExportOutput):
    """Scores and names of classes.

    >>> with tf.Graph().as_default():
    ...     tf.estimator.export.ClassificationOutput(scores=tf.constant([[1.0]])).scores.shape
    TensorShape([1, 1])
    """

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        if scores is not None and not (isinstance(scores, Tensor) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not (isinstance(classes, Tensor) and classes.dtype == dtypes.string):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError(
                "Cannot create a ClassificationOutput with empty arguments. At least one of `scores` and "
                "`classes` must be defined."
            )
        self.scores, self.classes = scores, classes
        self.outputs = {key: value for key, value in (("classes", classes), ("scores", scores)) if value is not None}

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        examples = _only_string(receiver_tensors, "Classification")
        return signature_defs.classification_signature_def(examples, self.classes, self.scores)


@_in_estimator("RegressionOutput")
class RegressionOutput(ExportOutput):
    """Regression: a number for each example.

    >>> with tf.Graph().as_default():
    ...     tf.estimator.export.RegressionOutput(tf.constant([[1.0]])).value.shape
    TensorShape([1, 1])
    """

    def __init__(self, value: Any) -> None:
        if not (isinstance(value, Tensor) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self.value, self.outputs = value, {"outputs": value}

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        return signature_defs.regression_signature_def(_only_string(receiver_tensors, "Regression"), self.value)


class _SupervisedOutput(ExportOutput):
    """Loss, predictions, metrics of training or evaluation, by names: `loss/mine`, `metrics/accuracy/value`."""

    def __init__(self, loss: Any = None, predictions: Any = None, metrics: Any = None) -> None:
        self.loss = None if loss is None else self._prefixed(loss, "loss")
        self.predictions = None if predictions is None else self._prefixed(predictions, "predictions")
        self.metrics = None if metrics is None else self._metric_tensors(metrics)
        self.outputs = {**(self.loss or {}), **(self.predictions or {}), **(self.metrics or {})}

    def _prefixed(self, outputs: Any, prefix: str) -> dict[str, Any]:
        return {_below(prefix, key): value for key, value in self._wrap_and_check_outputs(outputs, prefix).items()}

    def _metric_tensors(self, metrics: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, metric in (metrics if isinstance(metrics, dict) else {"metrics": metrics}).items():
            value, update = metric if isinstance(metric, tuple) else (metric.result(), metric.updates[0])
            key = _below("metrics", self._check_output_key(key, "metrics"))
            if not isinstance(value, Tensor):
                raise ValueError(f"{key} output value must be a Tensor; got {value}.")
            if not isinstance(update, (Tensor, Variable, Node)):
                raise ValueError(f"{key} update_op must be a Tensor or Operation; got {update}.")
            if not isinstance(update, Tensor):  # a signature holds tensors only
                with control_dependencies([update]):
                    update = constant([], dtypes.float32, name="metric_op_wrapper")
            found[f"{key}/value"], found[f"{key}/update_op"] = value, update
        return found

    @abc.abstractmethod
    def _get_signature_def_fn(self) -> Any:
        """What makes the SignatureDef from inputs, loss, predictions and metrics."""

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        return self._get_signature_def_fn()(receiver_tensors, self.loss, self.predictions, self.metrics)


def _below(prefix: str, key: str) -> str:
    return key if key.startswith(prefix) else f"{prefix}/{key}"


class TrainOutput(_SupervisedOutput):
    """What a step of training gives."""

    def _get_signature_def_fn(self) -> Any:
        return signature_defs.supervised_train_signature_def


class EvalOutput(_SupervisedOutput):
    """What a step of evaluation gives."""

    def _get_signature_def_fn(self) -> Any:
        return signature_defs.supervised_eval_signature_def
