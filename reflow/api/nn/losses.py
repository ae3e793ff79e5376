"""`tf.nn`: losses, and how they are averaged over a batch and replicas."""

from __future__ import annotations

import math as pymath

from reflow.api.array import arrange
from reflow.api.call import call, takes
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.api.math import elementwise as m
from reflow.api.nn.activations import relu
from reflow.api.nn.statistics import reduced
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.from_python import short_name

_NARROW = (dtypes.float16, dtypes.bfloat16)


def _same_shapes(**tensors):
    (first, x), (second, y) = tensors.items()
    if not x.shape.is_compatible_with(y.shape):
        raise ValueError(f"`{first}` and `{second}` must have the same shape, received ({x.shape} vs {y.shape}).")


@export("nn.l2_loss")
@takes("t: A tensor of floats", returns="A scalar of the same dtype")
def l2_loss(t, name=None):
    """Computes half the sum of squares.

    >>> l2_loss(constant([3.0, 4.0])).numpy()
    np.float32(12.5)
    """
    return call("L2Loss", (convert_to_tensor(t),), label=name)


@export("nn.sigmoid_cross_entropy_with_logits")
@scoped("logistic_loss", result=True)
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Computes the elementwise cross entropy of independent binary labels, from logits.

    Args:
      labels: The probabilities of the positive class, from 0 to 1, of the dtype of `logits`.
      logits: A tensor of floats.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `logits`.

    Raises:
      ValueError: An argument is missing, or the shapes differ.

    >>> sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logitsReceived: "
            f"labels={labels} and logits={logits}"
        )
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    _same_shapes(logits=x, labels=z)
    zeros = call("ZerosLike", (x,))
    positive = m.greater_equal(x, zeros)
    above, below = call("SelectV2", (positive, x, zeros)), call("SelectV2", (positive, m.negative(x), x))
    return m.add(m.subtract(above, m.multiply(x, z)), m.log1p(m.exp(below)), name=name)


@export("nn.weighted_cross_entropy_with_logits")
@scoped("logistic_loss", result=True)
def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None):
    """Computes `sigmoid_cross_entropy_with_logits` with positive labels weighted by `pos_weight`.

    Args:
      labels: The probabilities of the positive class, from 0 to 1, of the dtype of `logits`.
      logits: A tensor of floats.
      pos_weight: The weight of positive labels, broadcast to `logits`; above 1 it favors recall, below precision.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `logits`.

    Raises:
      ValueError: The shapes of `labels` and `logits` differ.

    >>> weighted_cross_entropy_with_logits([1.0], [0.0], 2.0).numpy().round(4)
    array([1.3863], dtype=float32)
    """
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    _same_shapes(logits=x, labels=z)
    one = constant(1, x.dtype)
    weight = m.add(one, m.multiply(m.subtract(pos_weight, one), z))
    tail = m.add(m.log1p(m.exp(m.negative(m.absolute(x)))), relu(m.negative(x)))
    return m.add(m.multiply(m.subtract(one, z), x), m.multiply(weight, tail), name=name)


def _outer_flat(x):
    """x as a matrix: all axes but the last become one."""
    if x.shape.rank == 2:
        return x
    last = x.shape[-1]
    if last is not None:
        return call("Reshape", (x, constant([-1, last])))
    last = call("StridedSlice", (call("Shape", (x,)), constant([-1]), constant([0]), constant([1])), {"end_mask": 1})
    return call("Reshape", (x, call("ConcatV2", (constant([-1]), last, constant(0)), {"N": 2})))


def _outer_shape(x):
    """The sizes of all axes but the last, as a tensor."""
    dims = x.shape[:-1]
    if dims.is_fully_defined():
        return constant(dims.as_list(), dtypes.int32)
    return call("StridedSlice", (call("Shape", (x,)), constant([0]), constant([-1]), constant([1])), {"begin_mask": 1})


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """Computes the cross entropy between label distributions and `softmax(logits)`.

    Args:
      labels: The probabilities of the classes, along `axis`.
      logits: A tensor of floats of the same shape.
      axis: The axis of the classes.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `logits`, of their shape without `axis`.

    Raises:
      InvalidArgumentError: The shapes cannot be broadcast to each other.

    >>> softmax_cross_entropy_with_logits([[0.0, 1.0]], [[0.0, 0.0]]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    logits = convert_to_tensor(logits)
    given = logits.dtype
    if given in _NARROW:
        logits = m.cast(logits, dtypes.float32)
    labels = m.cast(convert_to_tensor(labels, dtype_hint=logits.dtype), logits.dtype)
    if axis != -1 and axis != (logits.shape.rank or 0) - 1:
        order = [i for i in range(logits.shape.rank) if i != axis % logits.shape.rank] + [axis % logits.shape.rank]
        logits, labels = (call("Transpose", (t, constant(order))) for t in (logits, labels))
    loss, _ = call("SoftmaxCrossEntropyWithLogits", (_outer_flat(logits), _outer_flat(labels)), label=name)
    if logits.shape.rank != 2 or not loss.shape.is_fully_defined() or loss.shape != logits.shape[:-1]:
        loss = call("Reshape", (loss, _outer_shape(logits)))
    return m.cast(loss, given) if given in _NARROW else loss


@export("nn.sparse_softmax_cross_entropy_with_logits")
@scoped("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """Computes the cross entropy between class numbers and `softmax(logits)`.

    Args:
      labels: Integers in `[0, logits.shape[-1])`, of shape `logits.shape[:-1]`.
      logits: A tensor of floats, with the classes along the last axis.
      name: A name for the operation.

    Returns:
      A tensor of the shape of `labels` and the dtype of `logits`.

    Raises:
      ValueError: The shapes do not fit, or `logits` is a scalar.
      InvalidArgumentError: `labels` are not integers, or a label is out of range.

    >>> sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    given, ranks = logits.dtype, (labels.shape.rank, logits.shape.rank)
    if ranks[1] == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if ranks[0] is not None and ranks[1] is not None and ranks[0] != ranks[1] - 1:
        raise ValueError(
            f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={labels.shape} of rank "
            f"{ranks[0]} and logits.shape={logits.shape} of rank {ranks[1]}"
        )
    if ranks[1] is not None and not labels.shape.is_compatible_with(logits.shape[:-1]):
        raise ValueError(
            f"`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape="
            f"{labels.shape} and logits.shape={logits.shape}"
        )
    if labels.dtype not in (dtypes.int32, dtypes.int64):
        if labels.dtype.kind not in "iu" and state.graph is None:
            raise InvalidArgumentError(
                None, None,
                f"Value for attr 'Tlabels' of {short_name(labels.dtype)} is not in the list of "
                "allowed values: int32, int64",
            )
        labels = m.cast(labels, dtypes.int64) if labels.dtype.kind in "iu" else labels
    if given in _NARROW:
        logits = m.cast(logits, dtypes.float32)
    if ranks[1] == 2:
        loss, _ = call("SparseSoftmaxCrossEntropyWithLogits", (logits, labels), label=name)
    else:
        flat = call("Reshape", (labels, constant([-1])))
        loss, _ = call("SparseSoftmaxCrossEntropyWithLogits", (_outer_flat(logits), flat), label=name)
        loss = call("Reshape", (loss, call("Shape", (labels,))))
    return m.cast(loss, given) if given in _NARROW else loss


@export("nn.log_poisson_loss")
@scoped("log_poisson_loss")
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """Computes `exp(log_input) - log_input * targets`, the log-likelihood loss of a Poisson distribution.

    Args:
      targets: The counts, of the shape and dtype of `log_input`.
      log_input: The logarithms of the expected counts.
      compute_full_loss: Whether to add Stirling's approximation of `log(targets!)`, which does not depend on
        `log_input`.
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: The shapes differ.

    >>> log_poisson_loss([1.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    c, z = convert_to_tensor(log_input), convert_to_tensor(targets)
    _same_shapes(log_input=c, targets=z)
    result = m.subtract(m.exp(c), m.multiply(c, z), name=name)
    if compute_full_loss:
        half, turn = constant(0.5, z.dtype), constant(2 * pymath.pi, z.dtype)
        stirling = m.add(m.subtract(m.multiply(z, m.log(z)), z), m.multiply(half, m.log(m.multiply(turn, z))))
        zeros = call("ZerosLike", (z,))
        small = m.logical_and(m.greater_equal(z, zeros), m.less_equal(z, call("OnesLike", (z,))))
        result = m.add(result, call("SelectV2", (small, zeros, stirling)), name=name)
    return result


def _replicas() -> int:
    return getattr(state.strategy, "num_replicas_in_sync", 1)


@export("nn.compute_average_loss")
def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """Divides the sum of losses by the batch size over all replicas; `tf.distribute` then sums the results.

    Args:
      per_example_loss: The losses, with the batch as the first axis.
      sample_weight: Weights of the losses; a last axis may be missing, or there may be one more of size 1.
      global_batch_size: The integer to divide by; by default the size of the first axis times the number of replicas.

    Returns:
      A scalar of the dtype of the losses.

    Raises:
      ValueError: `per_example_loss` is a scalar, or `global_batch_size` is not an integer scalar.

    >>> compute_average_loss(constant([1.0, 3.0]), global_batch_size=4).numpy().item()
    1.0
    """
    loss = convert_to_tensor(per_example_loss)
    dtype = loss.dtype
    if loss.shape.rank == 0:
        raise ValueError(
            f"Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received: {loss}"
        )
    if sample_weight is not None:
        loss = m.cast(_weighted(m.cast(loss, dtypes.float32), m.cast(sample_weight, dtypes.float32)), dtype)
    if global_batch_size is None:
        size = m.multiply(
            call(
                "StridedSlice",
                (call("Shape", (loss,)), constant([0]), constant([1]), constant([1])),
                {"shrink_axis_mask": 1},
            ),
            constant(_replicas()),
        )
    else:
        size = convert_to_tensor(global_batch_size)
        if size.shape.rank != 0 or not size.dtype.is_integer:
            raise ValueError(
                f"global_batch_size must be an integer scalar. Received: global_batch_size={global_batch_size}"
            )
    return arithmetic.divide_no_nan(reduced("Sum", loss, None), m.cast(size, dtype))


def _weighted(loss, weight):
    """Losses times weights; an axis of weights that is missing, or one too many of size 1, is the last one."""
    if None not in (loss.shape.rank, weight.shape.rank) and weight.shape.rank:
        more = weight.shape.rank - loss.shape.rank
        if more == -1:
            weight = arrange.expand_dims(weight, -1)
        elif more == 1 and weight.shape[-1] == 1:
            weight = arrange.squeeze(weight, -1)
    return m.multiply(loss, weight)


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss):
    """Divides the sum of a loss that does not depend on the batch by the number of replicas.

    Args:
      regularization_loss: A tensor of floats.

    Returns:
      A scalar of the same dtype.

    >>> scale_regularization_loss(constant([1.0, 3.0])).numpy().item()
    4.0
    """
    loss = convert_to_tensor(regularization_loss)
    return arithmetic.divide(reduced("Sum", loss, None), constant(_replicas(), loss.dtype))
