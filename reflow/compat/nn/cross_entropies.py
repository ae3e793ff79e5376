"""Softmax and cross entropies of `tf.compat.v1.nn`, whose arguments differ from TensorFlow 2."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.export import export, export_function, with_sections
from reflow.api.nn import activations, losses
from reflow.compat.functions import either


def _softmax(function, example: str):
    public = function.__name__

    def softmax(logits, axis=None, name=None, dim=None):
        return function(logits, either(axis, dim, "axis", "dim"), name)

    doc = f"""The same as `tf.nn.{public}`, with an older name for `axis` too.

Args:
  logits: A tensor of floating-point numbers.
  axis: The axis of the classes, the last by default.
  name: A name for the operation.
  dim: The old name of `axis`.

Returns:
  A tensor of the shape and dtype of `logits`.

Raises:
  ValueError: The axis is given by both names."""
    return export_function(softmax, f"compat.v1.nn.{public}", f"compat.v1.math.{public}", doc=doc, example=example)


softmax = _softmax(activations.softmax, example="""
    >>> print(tf.compat.v1.nn.softmax([[0.0, 0.0], [1.0, 1.0]], dim=0).numpy().round(3))
    [[0.269 0.269]
     [0.731 0.731]]
""")
log_softmax = _softmax(activations.log_softmax, example="""
    >>> print(tf.compat.v1.nn.log_softmax([[0.0, 0.0], [1.0, 1.0]], dim=0).numpy().round(3))
    [[-1.313 -1.313]
     [-0.313 -0.313]]
""")


_CROSS_ENTROPY = """\
Args:
  labels: The true probabilities of the classes.
  logits: The predictions, real numbers of the same shape.
  name: A name for the operation.

Returns:
  A tensor of the shape of {like}.

Raises:
  ValueError: {wrong}.
"""
_MISSING = "`labels` or `logits` is missing"


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
@with_sections(_CROSS_ENTROPY, like="`labels` without the axis", wrong="The axis is given by both names")
def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """Computes the cross entropy of `softmax(logits)` against probabilities.

    Args:
      axis: The axis of the classes, the last by default.
      dim: The old name of `axis`.

    >>> print(tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2(
    ...     labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]
    ... ).numpy().round(3))
    [0.693]
    """
    axis = either(axis, dim, "axis", "dim")
    return losses.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis, name)


def _need_both(name, labels, logits):
    if labels is None or logits is None:
        received = f"Received: labels={labels} and logits={logits}"
        raise ValueError(f"Both `labels` and `logits` must be provided for {name}{received}")


@export("compat.v1.nn.softmax_cross_entropy_with_logits")
@with_sections(_CROSS_ENTROPY, like="`labels` without the axis", wrong=_MISSING)
def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """Computes the cross entropy of `softmax(logits)` against probabilities; its gradient does not reach the labels.

    Args:
      dim: The axis of the classes, the last by default.
      axis: The new name of `dim`.

    >>> print(
    ...     tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]).numpy().round(3)
    ... )
    [0.693]
    """
    _need_both("softmax_cross_entropy_with_logits", labels, logits)
    labels = arrange.stop_gradient(labels)
    return losses.softmax_cross_entropy_with_logits(labels, logits, dim if axis is None else axis, name)


@export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
@with_sections(_CROSS_ENTROPY, like="`labels`", wrong=_MISSING)
def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Computes the cross entropy of `softmax(logits)` against class numbers.

    Args:
      labels: The true classes, integers.
      logits: The predictions, real numbers with one more axis, the classes.

    >>> print(
    ...     tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]).numpy().round(3)
    ... )
    [0.693]
    """
    _need_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    return losses.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


@export("compat.v1.nn.sigmoid_cross_entropy_with_logits")
@with_sections(_CROSS_ENTROPY, like="`logits`", wrong=_MISSING)
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Computes the cross entropy of `sigmoid(logits)` against probabilities.

    Args:
      labels: The true probabilities.

    >>> print(tf.compat.v1.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy().round(3))
    [0.693]
    """
    _need_both("sigmoid_cross_entropy_with_logits", labels, logits)
    return losses.sigmoid_cross_entropy_with_logits(labels, logits, name)
