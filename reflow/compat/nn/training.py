"""Dropout and batch normalization of `tf.compat.v1.nn`."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.nn import dropout as dropouts
from reflow.api.strings.elementwise import as_text
from reflow.compat.functions import constant, either
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


@export("compat.v1.nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Zeroes each element with a probability, and scales the others up.

    Args:
      x: A tensor of floating-point numbers.
      keep_prob: 1 minus `rate`, in place of it.
      noise_shape: The shape of the random decisions, which is broadcast; by default that of `x`.
      seed: A seed for the random numbers.
      name: A name for the operation.
      rate: The probability.

    Returns:
      A tensor of the shape and dtype of `x`.

    Raises:
      ValueError: The probability is missing, or given by both names.

    >>> tf.compat.v1.nn.dropout(tf.ones([6]), keep_prob=0.5, seed=1).numpy().tolist()
    [2.0, 2.0, 2.0, 0.0, 0.0, 2.0]
    """
    rate = either(rate, None if keep_prob is None else 1 - keep_prob, "rate", "keep_prob")
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    return dropouts.dropout(x, rate, noise_shape, seed, name)


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format="NHWC", is_training=True, name=None,
    exponential_avg_factor=1.0,
):
    """Normalizes each channel of images: in training by its mean and variance in the batch, else by those given.

    Args:
      x: Images, of rank 4 or 5.
      scale: What the normalised channels are multiplied by.
      offset: What is added to them.
      mean: That of each channel; in training, the running mean.
      variance: That of each channel; in training, the running variance.
      epsilon: What is added to the variance; at least 1.001e-5.
      data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
      is_training: Whether mean and variance are those of the batch.
      name: A name for the operation.
      exponential_avg_factor: How much of the batch's statistics enters the running ones; None is 1.

    Returns:
      The images, and the running mean and variance.

    Raises:
      ValueError: The mean or variance is needed and missing.

    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(
    ...     tf.reshape([1.0, 3.0], [1, 1, 2, 1]), [1.0], [0.0], epsilon=0.1
    ... )
    >>> mean.numpy().tolist(), variance.numpy().tolist(), round(float(y[0, 0, 1, 0]), 4)
    ([2.0], [2.0], 0.9535)
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            "`exponential_avg_factor` != 1.0."
        )
    given = [constant([], dtypes.float32) if value is None else convert_to_tensor(value) for value in (mean, variance)]
    attributes = {
        "epsilon": max(float(epsilon), 1.001e-5), "data_format": as_text(data_format), "is_training": is_training,
        "exponential_avg_factor": 1.0 if exponential_avg_factor is None else float(exponential_avg_factor),
    }
    inputs = (convert_to_tensor(x), *(convert_to_tensor(value, dtypes.float32) for value in (scale, offset)), *given)
    y, running_mean, running_variance, *_ = call("FusedBatchNormV3", inputs, attributes, name)
    return y, running_mean, running_variance
