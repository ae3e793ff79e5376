"""`tf.compat.v1.losses`: weighted losses, reduced to a number and added to a collection of the graph."""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic, unary
from reflow.api.math import reduce as reductions
from reflow.api.nn import losses as cross_entropies
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.functions import either
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.name_scope import name_scope
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


@export("compat.v1.losses.Reduction")
class Reduction:
    """The ways in which losses become one number.

    Attributes:
      NONE: The weighted losses stay as they are.
      SUM: They are summed.
      SUM_OVER_BATCH_SIZE: Their sum is divided by the number of losses.
      MEAN: Their sum is divided by that of the weights.
      SUM_BY_NONZERO_WEIGHTS: Their sum is divided by the number of weights that are not 0.
      SUM_OVER_NONZERO_WEIGHTS: The same, by an older name.

    >>> labels, predictions = [1.0, 2.0], [2.0, 4.0]
    >>> kind = tf.compat.v1.losses.Reduction.NONE
    >>> tf.compat.v1.losses.mean_squared_error(labels, predictions, reduction=kind).numpy().tolist()
    [1.0, 4.0]
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple:
        """Returns all of them, as a tuple of strings."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key):
        """Raises ValueError for something that is none of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def check_broadcastable(weights: Tensor, values: Tensor) -> None:
    """Raises ValueError if it is known that weights do not fit.

    They are a number, or have 1 or the size of the values in each place.
    """
    have, want = weights.shape, values.shape
    if have.rank in (None, 0) or want.rank is None:
        return
    received = f"Received weights={weights}, values={values}"
    if have.rank != want.rank:
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={want.rank}. weights.rank={have.rank}. "
            f"values.shape={want}. weights.shape={have}. {received}"
        )
    for i, (w, v) in enumerate(zip(have.as_list(), want.as_list(), strict=True)):
        if w is not None and v is not None and w not in (1, v):
            raise ValueError(
                f"weights can not be broadcast to values. Mismatch at dim {i}. values.shape={_sizes(want)}, "
                f"weights.shape={_sizes(have)}. {received}"
            )


def _sizes(shape) -> str:
    """A shape as an array of its sizes is written."""
    return f"[{' '.join(map(str, shape.as_list()))}]"


@export("__internal__.ops.broadcast_weights")
def broadcast_weights(weights, values) -> Tensor:
    """Broadcasts weights to the shape of the values: a number, or with size 1 or the values' size in each axis.

    >>> broadcast_weights([[1.0], [2.0]], tf.zeros([2, 2])).numpy().tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    values = convert_to_tensor(values)
    weights = convert_to_tensor(weights, dtype_hint=values.dtype)
    check_broadcastable(weights, values)
    if weights.shape.is_fully_defined() and weights.shape == values.shape:
        return weights
    return arithmetic.multiply(weights, creation.ones_like(values), name="broadcast_weights")


def _present(losses: Tensor, weights: Tensor) -> Tensor:
    """How many elements have a weight that is not zero."""
    there = arithmetic.where(arithmetic.equal(weights, 0.0), constant(0.0), constant(1.0))
    return reductions.reduce_sum(arrange.broadcast_to(there, arrange.shape(losses)))


@export("compat.v1.losses.compute_weighted_loss")
def compute_weighted_loss(
    losses, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS
):
    """Multiplies losses by weights, reduces them, and adds the result to a collection.

    Args:
      losses: A tensor of losses.
      weights: What each loss is multiplied by: a number, or a tensor that can be broadcast to the losses.
      scope: A name for the scope of the operation.
      loss_collection: The collection of the graph to which the loss is added; none if it is empty or None.
      reduction: How the losses become one number; a value of `tf.compat.v1.losses.Reduction`.

    Returns:
      A tensor of the dtype of `losses`: a scalar, unless the reduction is `Reduction.NONE`.

    Raises:
      ValueError: There is no such reduction, or the weights do not fit.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.losses.compute_weighted_loss([1.0, 3.0, 8.0], [1.0, 1.0, 0.0])).item()
    2.0
    """
    Reduction.validate(reduction)
    with name_scope(scope or "weighted_loss"):
        losses = convert_to_tensor(losses)
        kind = losses.dtype
        losses = arithmetic.cast(losses, dtypes.float32)
        weights = arithmetic.cast(convert_to_tensor(weights), dtypes.float32)
        check_broadcastable(weights, losses)
        loss = arithmetic.multiply(losses, weights)
        if reduction != Reduction.NONE:
            loss = reductions.reduce_sum(loss)
            if reduction == Reduction.MEAN:
                total = reductions.reduce_sum(arithmetic.multiply(creation.ones_like(losses), weights))
                loss = arithmetic.divide_no_nan(loss, total, "value")
            elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                loss = arithmetic.divide_no_nan(loss, _present(losses, weights), "value")
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = arithmetic.divide_no_nan(loss, arithmetic.cast(arrange.size(losses), dtypes.float32), "value")
        loss = arithmetic.cast(loss, kind)
        add_loss(loss, loss_collection)
        return loss


@export("compat.v1.losses.add_loss")
def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    """Adds a loss to a collection of the graph; eager code has none.

    Args:
      loss: A tensor.
      loss_collection: The collection; none if it is empty or None.

    Returns:
      None.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.losses.add_loss(tf.constant(2.0))
    ...     session.run(tf.compat.v1.losses.get_total_loss()).item()
    2.0
    """
    if loss_collection and state.graph is not None:
        get_default_graph().add_to_collection(loss_collection, loss)


@export("compat.v1.losses.get_losses")
def get_losses(scope=None, loss_collection=GraphKeys.LOSSES) -> list:
    """Returns the losses of the default graph.

    Args:
      scope: Only losses whose names match this regular expression at their beginning are returned, if it is given.
      loss_collection: The collection they were added to.

    Returns:
      A list of tensors.

    >>> with tf.Graph().as_default():
    ...     loss = tf.compat.v1.losses.mean_squared_error([1.0], [2.0])
    ...     tf.compat.v1.losses.get_losses() == [loss]
    True
    """
    return get_default_graph().get_collection(loss_collection, scope)


@export("compat.v1.losses.get_regularization_losses")
def get_regularization_losses(scope=None) -> list:
    """Returns the losses of the default graph's regularizers.

    Args:
      scope: Only losses whose names match this regular expression at their beginning are returned, if it is given.

    Returns:
      A list of tensors.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant([3.0]), regularizer=tf.nn.l2_loss)
    ...     session.run(v.initializer)
    ...     session.run(tf.compat.v1.losses.get_regularization_losses())[0].item()
    4.5
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export("compat.v1.losses.get_regularization_loss")
def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """Sums the losses of regularizers.

    Args:
      scope: Only losses whose names match this regular expression at their beginning count, if it is given.
      name: A name for the operation.

    Returns:
      A scalar tensor; 0 if there are no such losses.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.losses.get_regularization_loss()).item()
    0.0
    """
    found = get_regularization_losses(scope)
    return arithmetic.add_n(found, name=name) if found else constant(0.0)


@export("compat.v1.losses.get_total_loss")
def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    """Sums all losses of the default graph.

    Args:
      add_regularization_losses: Whether those of regularizers count too.
      name: A name for the operation.
      scope: Only losses whose names match this regular expression at their beginning count, if it is given.

    Returns:
      A scalar tensor.

    Raises:
      ValueError: There are no losses.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     first = tf.compat.v1.losses.mean_squared_error([1.0], [2.0])
    ...     second = tf.compat.v1.losses.absolute_difference([1.0], [4.0])
    ...     session.run(tf.compat.v1.losses.get_total_loss()).item()
    4.0
    """
    found = get_losses(scope)
    if add_regularization_losses:
        found = found + get_regularization_losses(scope)
    return arithmetic.add_n(found, name=name)


def _pair(labels, predictions, names=("labels", "predictions")):
    _required(**dict(zip(names, (labels, predictions), strict=True)))
    predictions = arithmetic.cast(convert_to_tensor(predictions), dtypes.float32)
    labels = arithmetic.cast(convert_to_tensor(labels), dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


_LOSS = """\
Args:
  labels: The true values.
  predictions: The predicted values, of the same shape.
  logits: The predictions, real numbers of the same shape.
  weights: What each loss is multiplied by: a number, or a tensor that can be broadcast to the losses.
  scope: A name for the scope of the operation.
  loss_collection: The collection of the graph to which the loss is added; none if it is empty or None.
  reduction: How the losses become one number; a value of `tf.compat.v1.losses.Reduction`.

Returns:
  A scalar tensor, or with `Reduction.NONE` a tensor of losses.

Raises:
  ValueError: An argument is None, or shapes do not fit.
"""


def _elementwise(name: str, compute, doc: str, example: str):
    """A loss of labels and predictions, element by element."""

    def loss(
        labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES,
        reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
    ):
        with name_scope(scope or name) as scope:
            labels, predictions = _pair(labels, predictions)
            return compute_weighted_loss(compute(labels, predictions), weights, scope, loss_collection, reduction)

    return with_sections(_LOSS)(export_function(loss, f"compat.v1.losses.{name}", doc=doc, example=example))


absolute_difference = _elementwise(
    "absolute_difference", lambda y, p: unary.abs(p - y), "Computes the weighted mean of `|predictions - labels|`.",
    example="""
        >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [2.0, 5.0]).numpy().item()
        2.0
    """,
)
mean_squared_error = _elementwise(
    "mean_squared_error",
    lambda y, p: arithmetic.squared_difference(p, y),
    "Computes the weighted mean of `(predictions - labels)²`.",
    example="""
        >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [2.0, 5.0], weights=[1.0, 0.0]).numpy().item()
        1.0
    """,
)


@export("compat.v1.losses.huber_loss")
@with_sections(_LOSS)
def huber_loss(
    labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=DEFAULT
):
    """Computes the Huber loss: half the squared error up to `delta`, linear beyond.

    Args:
      delta: The error at which the loss becomes linear.

    >>> tf.compat.v1.losses.huber_loss([0.0, 0.0], [1.0, 3.0]).numpy().item()
    1.5
    """
    with name_scope(scope or "huber_loss") as scope:
        labels, predictions = _pair(labels, predictions)
        error = unary.abs(arithmetic.subtract(predictions, labels))
        within = arithmetic.minimum(error, delta)
        losses = 0.5 * within * within + delta * (error - within)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.log_loss")
@with_sections(_LOSS)
def log_loss(
    labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=GraphKeys.LOSSES, reduction=DEFAULT
):
    """Computes the cross entropy of predicted probabilities.

    Args:
      labels: The true values, 0 or 1.
      predictions: The predicted probabilities, of the same shape.
      epsilon: What is added before a logarithm is taken.

    >>> round(tf.compat.v1.losses.log_loss([1.0, 0.0], [0.9, 0.1]).numpy().item(), 3)
    0.105
    """
    with name_scope(scope or "log_loss") as scope:
        labels, predictions = _pair(labels, predictions)
        losses = -labels * unary.log(predictions + epsilon) - (1.0 - labels) * unary.log(1.0 - predictions + epsilon)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.hinge_loss")
@with_sections(_LOSS)
def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=DEFAULT):
    """Computes the hinge loss: `max(0, 1 - y * logits)`, where y is 1 or -1.

    Args:
      labels: The true values, 1 or 0, which stands for -1.

    >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], logits=[0.5, -2.0]).numpy().item()
    0.25
    """
    with name_scope(scope or "hinge_loss") as scope:
        labels, logits = _pair(labels, logits, ("labels", "logits"))
        losses = arithmetic.maximum(1.0 - (2.0 * labels - 1.0) * logits, 0.0)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.cosine_distance")
def cosine_distance(
    labels, predictions, axis=None, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS, dim=None,
):
    """Computes 1 minus the inner product of unit vectors along an axis.

    Args:
      labels: The true vectors, of length 1.
      predictions: The predicted vectors, of length 1, in the same shape.
      axis: The axis along which the vectors lie.
      weights: What each loss is multiplied by: a number, or a tensor that can be broadcast to the losses.
      scope: A name for the scope of the operation.
      loss_collection: The collection of the graph to which the loss is added; none if it is empty or None.
      reduction: How the losses become one number; a value of `tf.compat.v1.losses.Reduction`.
      dim: The old name of `axis`.

    Returns:
      A scalar tensor, or with `Reduction.NONE` a tensor of losses.

    Raises:
      ValueError: `axis` is missing, or shapes do not fit.

    >>> tf.compat.v1.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], axis=1).numpy().item()
    1.0
    """
    axis = either(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    with name_scope(scope or "cosine_distance_loss") as scope:
        labels, predictions = _pair(labels, predictions)
        losses = 1.0 - reductions.reduce_sum(predictions * labels, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES):
    """Compares the differences between pairs of predictions to those between labels, in each example of a batch.

    Args:
      labels: The true values, of at least two axes; the first is that of the batch.
      predictions: The predicted values, of the same shape.
      weights: What each example is multiplied by: a number, or a tensor that can be broadcast to the labels.
      scope: A name for the scope of the operation.
      loss_collection: The collection of the graph to which the loss is added; none if it is empty or None.

    Returns:
      A scalar tensor: the weighted sum over the examples of the mean squared difference.

    Raises:
      ValueError: An argument is None, or shapes do not fit.

    >>> tf.compat.v1.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[1.0, 4.0]]).numpy().item()
    4.0
    """
    with name_scope(scope or "mean_pairwise_squared_error") as scope:
        labels, predictions = _pair(labels, predictions)
        weights = arithmetic.cast(convert_to_tensor(weights), dtypes.float32)
        check_broadcastable(weights, labels)
        diffs = predictions - labels
        axes = list(range(1, diffs.shape.rank or 1))
        squares = reductions.reduce_sum(unary.square(diffs), axis=axes, keepdims=True)
        count = _present_per_row(diffs, weights, axes)
        first = 2.0 * arithmetic.divide_no_nan(squares, arithmetic.maximum(count - 1.0, 0.0))
        total = reductions.reduce_sum(diffs, axis=axes, keepdims=True)
        second = 2.0 * arithmetic.divide_no_nan(unary.square(total), arithmetic.maximum(count * (count - 1.0), 0.0))
        weighted = (first - second) * weights
        loss = reductions.reduce_sum(weighted)
        mean = arithmetic.where(reductions.reduce_sum(count) > 0.0, loss, creation.zeros_like(loss))
        add_loss(mean, loss_collection)
        return mean


def _present_per_row(values, weights, axes):
    there = arithmetic.where(arithmetic.equal(weights, 0.0), constant(0.0), constant(1.0))
    return reductions.reduce_sum(arrange.broadcast_to(there, arrange.shape(values)), axis=axes, keepdims=True)


def _required(**arguments):
    for name, given in arguments.items():
        if given is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _of_one_type(**given):
    """Labels and logits, given by the names of the arguments, as tensors of the logits' dtype and of one shape."""
    _required(**given)
    labels, logits = map(convert_to_tensor, given.values())
    labels = arithmetic.cast(labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    return labels, logits


@export("compat.v1.losses.sigmoid_cross_entropy")
@with_sections(_LOSS)
def sigmoid_cross_entropy(
    multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=GraphKeys.LOSSES,
    reduction=DEFAULT,
):
    """Computes the cross entropy of `sigmoid(logits)`, for classes that do not exclude each other.

    Args:
      multi_class_labels: The true values, 0 or 1.
      label_smoothing: How far labels are moved towards one half, from 0 to 1.

    >>> round(tf.compat.v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], logits=[[0.0, 0.0]]).numpy().item(), 3)
    0.693
    """
    with name_scope(scope or "sigmoid_cross_entropy_loss") as scope:
        labels, logits = _of_one_type(multi_class_labels=multi_class_labels, logits=logits)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = cross_entropies.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.softmax_cross_entropy")
@with_sections(_LOSS)
def softmax_cross_entropy(
    onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=GraphKeys.LOSSES,
    reduction=DEFAULT,
):
    """Computes the cross entropy of `softmax(logits)`. No gradient flows to the labels.

    Args:
      onehot_labels: The true probabilities of the classes, in the last axis.
      label_smoothing: How far labels are moved towards equal shares, from 0 to 1.

    >>> round(tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], logits=[[0.0, 0.0]]).numpy().item(), 3)
    0.693
    """
    with name_scope(scope or "softmax_cross_entropy_loss") as scope:
        labels, logits = _of_one_type(onehot_labels=onehot_labels, logits=logits)
        if label_smoothing > 0:
            classes = arithmetic.cast(arrange.shape(labels)[-1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        labels = arrange.stop_gradient(labels)
        losses = cross_entropies.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.sparse_softmax_cross_entropy")
@with_sections(_LOSS)
def sparse_softmax_cross_entropy(
    labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=DEFAULT
):
    """Computes the cross entropy of `softmax(logits)` against class numbers.

    Args:
      labels: The true classes, integers; a last axis of size 1 may be there.
      logits: The predictions, real numbers with one more axis, the classes.

    >>> round(tf.compat.v1.losses.sparse_softmax_cross_entropy([0], logits=[[0.0, 0.0]]).numpy().item(), 3)
    0.693
    """
    _required(labels=labels, logits=logits)
    with name_scope(scope or "sparse_softmax_cross_entropy_loss") as scope:
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        if labels.shape.rank is not None and logits.shape.rank == labels.shape.rank and labels.shape[-1] == 1:
            labels = arrange.squeeze(labels, [-1])
        weights = convert_to_tensor(weights)
        if weights.shape.rank and labels.shape.rank is not None and weights.shape.rank - labels.shape.rank == 1:
            weights = arrange.squeeze(weights, [-1])
        losses = cross_entropies.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
