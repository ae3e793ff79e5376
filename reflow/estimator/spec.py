"""The result of a model function: `EstimatorSpec`, in one of three modes."""

from __future__ import annotations

from typing import Any, NamedTuple

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.compat.train.scaffold import Scaffold
from reflow.compat.train.session_run_hook import SessionRunHook


@export("estimator.ModeKeys", "compat.v1.estimator.ModeKeys")
class ModeKeys:
    """For what a model function is called.

    >>> tf.estimator.ModeKeys.TRAIN
    'train'
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class _Spec(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict
    export_outputs: Any
    training_chief_hooks: tuple
    training_hooks: tuple
    scaffold: Scaffold
    evaluation_hooks: tuple
    prediction_hooks: tuple


@export("estimator.EstimatorSpec", "compat.v1.estimator.EstimatorSpec")
class EstimatorSpec(_Spec):
    """What a model function returns: tensors and operations, by what they are for.

    Training needs `loss` and `train_op`, evaluation `loss`, prediction `predictions`; what is missing raises
    `ValueError`.

    >>> with tf.Graph().as_default():
    ...     tf.estimator.EstimatorSpec("infer", predictions=tf.constant([1.0])).mode
    'infer'
    """

    def __new__(
        cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, export_outputs=None,
        training_chief_hooks=None, training_hooks=None, scaffold=None, evaluation_hooks=None, prediction_hooks=None,
    ):
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
            raise ValueError(f"mode must be one of train, eval, infer. Given: {mode}")
        if train_op is None and mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        if loss is None and mode != ModeKeys.PREDICT:
            raise ValueError("Missing loss.")
        if predictions is None and mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        hooks = [_checked_hooks(h) for h in (training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks)]
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        return super().__new__(
            cls, mode, {} if predictions is None else predictions, _checked_loss(loss), train_op,
            _checked_metrics(eval_metric_ops), _checked_outputs(export_outputs), hooks[0], hooks[1],
            scaffold, hooks[2], hooks[3],
        )


def _checked_loss(loss: Any) -> Any:
    if loss is None:
        return None
    if loss.shape.rank not in (0, None) and loss.shape.num_elements() != 1:
        raise ValueError(f"Loss must be scalar, given: {loss}")
    if loss.shape.rank not in (0, None):
        return arrange.reshape(loss, [])
    return loss


def _checked_metrics(metrics: Any) -> dict:
    metrics = metrics or {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    for name, pair in metrics.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {pair} for key: {name}"
            )
    return metrics


def _checked_outputs(outputs: Any) -> Any:
    if outputs is None:
        return None
    if not isinstance(outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {outputs}")
    return outputs


def _checked_hooks(hooks: Any) -> tuple:
    for hook in hooks or ():
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
    return tuple(hooks or ())
