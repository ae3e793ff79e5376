"""Dense layers, dropout, flattening, batch normalization."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.export import export, with_sections
from reflow.api.initializers import Ones, Zeros
from reflow.api.linalg import products
from reflow.api.math import arithmetic
from reflow.api.nn import dropout as dropouts
from reflow.api.nn import statistics
from reflow.compat.layers.base import WEIGHTED, Layer, apply_layer, with_arguments_of
from reflow.compat.layers.identifiers import activation_of
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.function.control_flow import cond
from reflow.ops.convert import constant


def smart_cond(flag, if_true, if_false):
    """One of two functions' results: now, if the flag is a Python value or a constant."""
    if isinstance(flag, Tensor):
        known = arrange.get_static_value(flag)
        flag = flag if known is None else bool(known)
    if isinstance(flag, Tensor) or hasattr(flag, "handle"):
        return cond(arithmetic.cast(flag, dtypes.bool_), if_true, if_false)
    return if_true() if flag else if_false()


@export("compat.v1.layers.Dense")
@with_sections(WEIGHTED)
class Dense(Layer):
    """Computes `activation(inputs · kernel + bias)`, over the last axis.

    Args:
      units: The size of the last axis of the result.

    >>> with tf.Graph().as_default():
    ...     dense = tf.compat.v1.layers.Dense(4, activation=tf.nn.relu, name="dense")
    ...     dense(tf.zeros([2, 3])).shape, dense.kernel.name
    (TensorShape([2, 4]), 'dense/kernel:0')
    """

    def __init__(
        self, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros,
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, trainable=True, name=None, **kwargs,
    ):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation_of(activation), use_bias
        self._kernel = kernel_initializer, kernel_regularizer, kernel_constraint
        self._bias = bias_initializer, bias_regularizer, bias_constraint
        self.kernel = self.bias = None

    def build(self, input_shape):
        depth = input_shape[-1]
        if depth is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
                f"received: {tuple(input_shape)}"
            )
        initializer, regularizer, constraint = self._kernel
        self.kernel = self.add_weight(
            "kernel", [int(depth), self.units], initializer=initializer, regularizer=regularizer, constraint=constraint
        )
        if self.use_bias:
            initializer, regularizer, constraint = self._bias
            self.bias = self.add_weight(
                "bias", [self.units], initializer=initializer, regularizer=regularizer, constraint=constraint
            )
        self.built = True

    def call(self, inputs):
        if inputs.shape.rank is not None and inputs.shape.rank > 2:
            outputs = products.tensordot(inputs, self.kernel, [[inputs.shape.rank - 1], [0]])
            outputs.set_shape(inputs.shape[:-1].concatenate([self.units]))
        else:
            outputs = products.matmul(inputs, self.kernel)
        if self.use_bias:
            outputs = statistics.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


@export("compat.v1.layers.dense")
@with_arguments_of(Dense)
def dense(
    inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros,
    kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
    bias_constraint=None, trainable=True, name=None, reuse=None,
):
    """Computes `activation(inputs · kernel + bias)`, with variables of a scope.

    Args:
      inputs: A tensor whose last axis has a known size.
      reuse: Whether the variables of the scope exist already.

    Returns:
      A tensor of shape `inputs.shape[:-1] + [units]`.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.dense(tf.ones([2, 3]), 4)
    ...     [v.name for v in tf.compat.v1.trainable_variables()], y.shape.as_list()
    (['dense/kernel:0', 'dense/bias:0'], [2, 4])
    """
    given = {k: v for k, v in locals().items() if k not in ("inputs", "name", "reuse")}
    return apply_layer(Dense, inputs, name, reuse, given)


@export("compat.v1.layers.Dropout")
class Dropout(Layer):
    """Zeroes elements with probability `rate` while training, and scales the others up.

    Args:
      rate: The probability.
      noise_shape: The shape of the random decisions, which is broadcast; by default that of the inputs.
      seed: A seed for the random numbers.
      name: A name for the layer.
      **kwargs: Further arguments of `Layer`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     dropout = tf.compat.v1.layers.Dropout(0.5)
    ...     session.run(dropout(tf.ones([3]))).tolist()      # training=True would drop some
    [1.0, 1.0, 1.0]
    """

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=False):
        def dropped():
            return dropouts.dropout(inputs, self.rate, self.noise_shape, self.seed)

        return smart_cond(training, dropped, lambda: arrange.identity(inputs))


@export("compat.v1.layers.dropout")
def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """Zeroes elements with probability `rate` while training, and scales the others up.

    Args:
      inputs: A tensor.
      rate: The probability.
      noise_shape: The shape of the random decisions, which is broadcast; by default that of the inputs.
      seed: A seed for the random numbers.
      training: Whether elements are dropped: a bool or a tensor.
      name: A name for the layer.

    Returns:
      A tensor of the shape of `inputs`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     training = tf.compat.v1.placeholder_with_default(False, [])
    ...     y = tf.compat.v1.layers.dropout(tf.ones([3]), rate=0.5, training=training)
    ...     session.run(y).tolist()
    [1.0, 1.0, 1.0]
    """
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


@export("compat.v1.layers.Flatten")
class Flatten(Layer):
    """Keeps the first axis, and joins the others.

    Args:
      data_format: With "channels_first" the channels are moved to the end first; else "channels_last".
      name: A name for the layer.
      **kwargs: Further arguments of `Layer`.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.Flatten()(tf.zeros([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    def __init__(self, data_format="channels_last", name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.data_format = data_format

    def call(self, inputs):
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = arrange.transpose(inputs, [0, *range(2, rank), 1])
        size = inputs.shape[1:].num_elements() if rank is not None and rank > 0 else None
        first = inputs.shape[0] if rank else None
        if size is not None:
            return arrange.reshape(inputs, [-1, size])
        return arrange.reshape(inputs, [first if first is not None else arrange.shape(inputs)[0], -1])


@export("compat.v1.layers.flatten")
def flatten(inputs, name=None, data_format="channels_last"):
    """Keeps the first axis, and joins the others.

    Args:
      inputs: A tensor.
      name: A name for the layer.
      data_format: With "channels_first" the channels are moved to the end first; else "channels_last".

    Returns:
      A matrix.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.flatten(tf.zeros([2, 3, 4])).shape
    TensorShape([2, 12])
    """
    return Flatten(data_format, name)(inputs)


@export("compat.v1.layers.BatchNormalization")
class BatchNormalization(Layer):
    """Normalizes to mean 0 and variance 1 along an axis: by those of the batch while training, else by running means.

    The running means are moved by operations in the collection UPDATE_OPS, which training has to run.

    Args:
      axis: The axis of the channels.
      momentum: How much of the running means stays in a step.
      epsilon: What is added to the variance.
      center, scale: Whether a vector is added, and whether there is one to multiply by.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: Initializers of the
        variables.
      beta_regularizer, gamma_regularizer: Functions whose results are added to the losses.
      beta_constraint, gamma_constraint: Functions that optimizers apply to the variables after each step.
      renorm, virtual_batch_size, adjustment: Not supported; must be left out.
      renorm_clipping, renorm_momentum: Have no effect.
      fused: With False the running variance of images is that of the batch, without Bessel's correction.
      trainable: Whether optimizers change the variables.
      name: A name for the layer and its scope.
      **kwargs: `dtype`, that of the variables.

    Raises:
      ValueError: `renorm`, `virtual_batch_size` or `adjustment` is given.

    >>> with tf.Graph().as_default():
    ...     layer = tf.compat.v1.layers.BatchNormalization(name="norm")
    ...     y = layer(tf.zeros([8, 3]), training=True)
    ...     y.shape, [v.name for v in layer.variables]
    (TensorShape([8, 3]), ['norm/gamma:0', 'norm/beta:0', 'norm/moving_mean:0', 'norm/moving_variance:0'])
    """

    def __init__(
        self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=Zeros,
        gamma_initializer=Ones, moving_mean_initializer=Zeros, moving_variance_initializer=Ones, beta_regularizer=None,
        gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, renorm=False, renorm_clipping=None,
        renorm_momentum=0.99, fused=None, trainable=True, virtual_batch_size=None, adjustment=None, name=None, **kwargs,
    ):
        super().__init__(trainable, name, **kwargs)
        for option, value in {
            "renorm": renorm, "virtual_batch_size": virtual_batch_size, "adjustment": adjustment
        }.items():
            if value:
                raise ValueError(f"BatchNormalization: `{option}` is not supported.")
        self.fused = fused
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale
        self._beta = beta_initializer, beta_regularizer, beta_constraint
        self._gamma = gamma_initializer, gamma_regularizer, gamma_constraint
        self._mean, self._variance = moving_mean_initializer, moving_variance_initializer
        self.gamma = self.beta = self.moving_mean = self.moving_variance = None

    def build(self, input_shape):
        depth = [int(input_shape[self.axis])]
        if self.scale:
            initializer, regularizer, constraint = self._gamma
            self.gamma = self.add_weight(
                "gamma", depth, initializer=initializer, regularizer=regularizer, constraint=constraint
            )
        if self.center:
            initializer, regularizer, constraint = self._beta
            self.beta = self.add_weight(
                "beta", depth, initializer=initializer, regularizer=regularizer, constraint=constraint
            )
        self.moving_mean = self.add_weight("moving_mean", depth, initializer=self._mean, trainable=False)
        self.moving_variance = self.add_weight("moving_variance", depth, initializer=self._variance, trainable=False)
        self.built = True

    def call(self, inputs, training=False):
        rank = inputs.shape.rank
        axis = self.axis % rank
        others = [i for i in range(rank) if i != axis]
        aligned = [inputs.shape[i] if i == axis else 1 for i in range(rank)]
        batch_mean, batch_variance = statistics.moments(inputs, others)
        mean = smart_cond(training, lambda: batch_mean, lambda: arrange.identity(self.moving_mean))
        variance = smart_cond(training, lambda: batch_variance, lambda: arrange.identity(self.moving_variance))
        if training is not False:
            fused = rank == 4 and axis in (1, 3) and self.fused is not False
            unbiased = batch_variance * _bessel(inputs, others) if fused else batch_variance
            self.add_update(
                [
                    self._moved(self.moving_mean, batch_mean, training),
                    self._moved(self.moving_variance, unbiased, training),
                ]
            )

        def spread(x):
            return None if x is None else arrange.reshape(x, aligned)

        return statistics.batch_normalization(
            inputs, spread(mean), spread(variance), spread(self.beta), spread(self.gamma), self.epsilon
        )

    def _moved(self, variable, value, training):
        keep = smart_cond(
            training, lambda: constant(1.0 - self.momentum, value.dtype), lambda: constant(0.0, value.dtype)
        )
        return variable.assign_sub((variable - value) * keep, read_value=False)


def _bessel(inputs, others):
    """n / (n - 1), by which the fused kernel's variance is larger."""
    count = arithmetic.cast(1, inputs.dtype)
    shape = arrange.shape(inputs)
    for axis in others:
        count = count * arithmetic.cast(shape[axis], inputs.dtype)
    return count / arithmetic.maximum(count - 1.0, 1.0)


@export("compat.v1.layers.batch_normalization")
@with_arguments_of(BatchNormalization)
def batch_normalization(
    inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=Zeros,
    gamma_initializer=Ones, moving_mean_initializer=Zeros, moving_variance_initializer=Ones, beta_regularizer=None,
    gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, training=False, trainable=True, name=None,
    reuse=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, virtual_batch_size=None,
    adjustment=None,
):
    """Applies batch normalization, with variables of a scope.

    Args:
      inputs: A tensor of known rank.
      training: Whether mean and variance are those of the batch, a bool or a tensor; then the operations of UPDATE_OPS
        must be run too.
      reuse: Whether the variables of the scope exist already.

    Returns:
      A tensor of the shape of `inputs`.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.batch_normalization(tf.zeros([8, 3]), training=True)
    ...     len(tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.UPDATE_OPS))      # the running mean and variance
    2
    """
    given = {k: v for k, v in locals().items() if k not in ("inputs", "name", "reuse", "training")}
    return apply_layer(BatchNormalization, inputs, name, reuse, given, training=training)
