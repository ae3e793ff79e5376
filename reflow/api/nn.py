"""`tf.nn` without windows: activations, softmax, losses, statistics, normalisation, dropout.

Convolutions and pooling are in `nn_windows`. Arguments are TensorFlow's, in its order; a `name=` names the last op.
"""

from __future__ import annotations

import math as pymath
import numbers

import numpy as np

from reflow.api import elementwise as m
from reflow.api import nn_morphology, nn_windows, random
from reflow.api.call import call, fast_paths
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.shapes import TensorShape
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.ops import random_state, registry
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.from_python import short_name

__all__ = ["nn_morphology", "nn_windows"]  # loaded with this module
_NARROW = (dtypes.float16, dtypes.bfloat16)


def _axes(axes, rank=None):
    """Axes as an int32 tensor; None means all of `rank`."""
    if isinstance(axes, Tensor):
        return axes
    return constant(list(range(rank)) if axes is None else axes, dtypes.int32)


def _reduce(op_name, x, axes, keepdims=False, name=None):
    if axes is None and x.shape.rank is None:
        axes = call("Range", (constant(0), call("Rank", (x,)), constant(1)))
    return call(op_name, (x, _axes(axes, x.shape.rank)), {"keep_dims": bool(keepdims)}, name)


def _same_shapes(**tensors):
    (first, x), (second, y) = tensors.items()
    if not x.shape.is_compatible_with(y.shape):
        raise ValueError(f"`{first}` and `{second}` must have the same shape, received ({x.shape} vs {y.shape}).")


ndarray = np.ndarray
fast_paths(__name__)

# --- activations ---------------------------------------------------------------------------------------------------------


def _activation(op_name, *names, doc):
    """The public function of an op with one input called `features`, with the fast path of `call.unary`."""
    record = registry.get(op_name)
    fast, allowed = record.fast, record.allowed

    def function(features, name=None):
        if type(features) is EagerTensor and state.graph is None and not state.tapes:
            value = features._value
            if type(value) is ndarray and features._dtype.enum in allowed:
                return EagerTensor(state.run(fast, value))
        return call(op_name, (convert_to_tensor(features),), label=name)

    function.__name__ = function.__qualname__ = names[0].rsplit(".", 1)[-1]
    function.__doc__ = doc
    return export(*names)(function)


relu = _activation(
    "Relu",
    "nn.relu",
    doc="""`max(x, 0)`.

    >>> relu(constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """,
)
relu6 = _activation(
    "Relu6",
    "nn.relu6",
    doc="""`min(max(x, 0), 6)`.

    >>> relu6(constant([-1.0, 2.0, 9.0])).numpy()
    array([0., 2., 6.], dtype=float32)
    """,
)
elu = _activation(
    "Elu",
    "nn.elu",
    doc="""`exp(x) - 1` below zero, `x` above.

    >>> elu(constant([0.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """,
)
selu = _activation(
    "Selu",
    "nn.selu",
    doc="""The scaled ELU, which keeps the mean and variance of its inputs.

    >>> selu(constant([0.0, 1.0])).numpy().round(4)
    array([0.    , 1.0507], dtype=float32)
    """,
)
softplus = _activation(
    "Softplus",
    "nn.softplus",
    "math.softplus",
    doc="""`log(exp(x) + 1)`.

    >>> softplus(constant([0.0])).numpy().round(4)
    array([0.6931], dtype=float32)
    """,
)
softsign = _activation(
    "Softsign",
    "nn.softsign",
    "math.softsign",
    doc="""`x / (abs(x) + 1)`.

    >>> softsign(constant([1.0, -3.0])).numpy()
    array([ 0.5 , -0.75], dtype=float32)
    """,
)


@export("nn.leaky_relu")
def leaky_relu(features, alpha=0.2, name=None):
    """`x` above zero, `alpha * x` below.

    >>> leaky_relu(constant([-1.0, 2.0])).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    features = convert_to_tensor(features)
    if features.dtype.is_integer:
        features = m.cast(features, dtypes.float32)
    return call("LeakyRelu", (features,), {"alpha": float(alpha)}, name)


@export("nn.crelu")
def crelu(features, axis=-1, name=None):
    """`relu(x)` and `relu(-x)`, side by side along an axis.

    >>> crelu(constant([-1.0, 2.0])).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    features = convert_to_tensor(features)
    both = call("ConcatV2", (features, m.negative(features), constant(axis)), {"N": 2})
    return call("Relu", (both,), label=name)


def _in_float32(number: float) -> float:
    """A constant as TensorFlow sees it: a float32 before it is cast, also to float64."""
    return float(np.float32(number))


@export("nn.gelu")
def gelu(features, approximate=False, name=None):
    """`x * P(X <= x)` for a standard normal X; `approximate` uses tanh.

    >>> gelu(constant([0.0, 1.0])).numpy().round(4)
    array([0.    , 0.8413], dtype=float32)
    """
    x = convert_to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(f"`features.dtype` must be a floating point tensor.Received:features.dtype={x.dtype}")
    half = m.multiply(constant(0.5, x.dtype), x)
    if not approximate:
        return m.multiply(
            half, m.erfc(m.multiply(m.negative(x), constant(_in_float32(0.7071067811865476), x.dtype))), name=name
        )
    cubic = m.multiply(constant(_in_float32(0.044715), x.dtype), m.power(x, constant(3, x.dtype)))
    inner = m.tanh(m.multiply(constant(0.7978845608028654, x.dtype), m.add(x, cubic)))
    return m.multiply(half, m.add(constant(1, x.dtype), inner), name=name)


@export("nn.silu", "nn.swish")
def silu(features, beta=1.0):
    """`x * sigmoid(beta * x)`.

    >>> silu(constant([0.0, 1.0])).numpy().round(4)
    array([0.    , 0.7311], dtype=float32)
    """
    x = convert_to_tensor(features)
    if isinstance(beta, (int, float)) and beta == 1:
        return m.multiply(x, m.sigmoid(x))
    return m.multiply(x, m.sigmoid(m.multiply(m.cast(beta, x.dtype), x)))


# --- softmax -------------------------------------------------------------------------------------------------------------


def _on_last_axis(op_name, logits, axis, name):
    """Apply an op of the last axis along another: one node if it is the last, else between two transpositions."""
    logits = convert_to_tensor(logits)
    rank = logits.shape.rank
    if axis in (None, -1) or axis == (rank or 0) - 1:
        return call(op_name, (logits,), label=name)
    if rank is None:
        raise ValueError(f"The rank of `logits` must be known for axis={axis}.")
    if not -rank <= axis < rank:
        from reflow.core.errors import InvalidArgumentError

        raise InvalidArgumentError(
            None,
            None,
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: dim={axis}",
        )
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    order = constant(order)
    return call("Transpose", (call(op_name, (call("Transpose", (logits, order)),)), order), label=name)


@export("nn.softmax", "math.softmax")
def softmax(logits, axis=None, name=None):
    """`exp(x) / sum(exp(x))` along an axis, the last by default.

    >>> softmax(constant([0.0, 0.0])).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    return _on_last_axis("Softmax", logits, axis, name)


@export("nn.log_softmax", "math.log_softmax")
def log_softmax(logits, axis=None, name=None):
    """The logarithm of `softmax`.

    >>> log_softmax(constant([0.0, 0.0])).numpy().round(4)
    array([-0.6931, -0.6931], dtype=float32)
    """
    return _on_last_axis("LogSoftmax", logits, axis, name)


# --- losses --------------------------------------------------------------------------------------------------------------


@export("nn.l2_loss")
def l2_loss(t, name=None):
    """Half the sum of squares.

    >>> l2_loss(constant([3.0, 4.0])).numpy()
    np.float32(12.5)
    """
    return call("L2Loss", (convert_to_tensor(t),), label=name)


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The cross entropy of independent yes/no answers, elementwise, from logits.

    >>> sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logits. Received: "
            f"labels={labels} and logits={logits}"
        )
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    _same_shapes(logits=x, labels=z)
    zeros = call("ZerosLike", (x,))
    positive = m.greater_equal(x, zeros)
    above, below = call("SelectV2", (positive, x, zeros)), call("SelectV2", (positive, m.negative(x), x))
    return m.add(m.subtract(above, m.multiply(x, z)), m.log1p(m.exp(below)), name=name)


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None):
    """Like `sigmoid_cross_entropy_with_logits`, positive answers weighted by `pos_weight`.

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
    """The cross entropy between label distributions and softmax(logits), one number for each distribution.

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
    if logits.shape.rank != 2:
        loss = call("Reshape", (loss, _outer_shape(logits)))
    return m.cast(loss, given) if given in _NARROW else loss


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """The cross entropy between class numbers and softmax(logits).

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
                None,
                None,
                f"Value for attr 'Tlabels' of {short_name(labels.dtype)} is not in the list of allowed values: int32, int64",
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
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """`exp(log_input) - log_input * targets`, plus Stirling's approximation of log(targets!) if asked for.

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
    """The sum of losses divided by the batch size over all replicas, which `tf.distribute` then adds up.

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
        loss = m.multiply(loss, m.cast(sample_weight, dtype))
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
    return m.divide_no_nan(_reduce("Sum", loss, None), m.cast(size, dtype))


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss):
    """The sum of a loss that does not depend on the batch, divided by the number of replicas.

    >>> scale_regularization_loss(constant([1.0, 3.0])).numpy().item()
    4.0
    """
    loss = convert_to_tensor(regularization_loss)
    return m.realdiv(_reduce("Sum", loss, None), constant(_replicas(), loss.dtype))


# --- biases, statistics, normalisation -----------------------------------------------------------------------------------


@export("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    """Add a vector to the channels: the last axis, or the second for data formats `NC...`.

    >>> bias_add(constant([[1.0, 2.0]]), [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    if data_format is not None:
        if not data_format.startswith("N"):
            raise ValueError(
                f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
            )
        data_format = "NCHW" if data_format.startswith("NC") else "NHWC"
    value = convert_to_tensor(value)
    bias = convert_to_tensor(bias, value.dtype)
    return call("BiasAdd", (value, bias), {"data_format": data_format} if data_format == "NCHW" else {}, name)


def _squeezed(x, axes, rank):
    axes = [a % rank for a in ([axes] if isinstance(axes, int) else axes)] if rank is not None else list(axes)
    return call("Squeeze", (x,), {"squeeze_dims": axes})


@export("nn.moments")
def moments(x, axes, shift=None, keepdims=False, name=None):
    """The mean and variance over axes. `shift` has no effect, as in TensorFlow.

    >>> [t.numpy().tolist() for t in moments(constant([1.0, 3.0]), [0])]
    [2.0, 1.0]
    """
    x = convert_to_tensor(x)
    y = m.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
    mean = _reduce("Mean", y, axes, True)
    spread = m.squared_difference(y, call("StopGradient", (mean,)))
    variance = _reduce("Mean", spread, axes, True, name)
    return _moments_out(x, (mean, variance), axes, keepdims)


def _moments_out(x, values, axes, keepdims):
    if not keepdims:
        axes = axes.numpy().tolist() if isinstance(axes, EagerTensor) else axes
        values = [_squeezed(v, axes, x.shape.rank) for v in values]
    return tuple(m.cast(v, x.dtype) if x.dtype is dtypes.float16 else v for v in values)


@export("nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """The mean and variance over axes, elements counted by their weights.

    >>> [t.numpy().tolist() for t in weighted_moments(constant([1.0, 3.0]), [0], [3.0, 1.0])]
    [1.5, 0.75]
    """
    x = convert_to_tensor(x)
    y = m.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
    weights = m.cast(convert_to_tensor(frequency_weights), y.dtype)
    total = _reduce("Sum", m.add(weights, call("ZerosLike", (y,))), axes, True)
    mean = m.divide_no_nan(_reduce("Sum", m.multiply(weights, y), axes, True), total)
    spread = _reduce("Sum", m.multiply(weights, m.squared_difference(y, mean)), axes, True)
    return _moments_out(x, (mean, m.divide_no_nan(spread, total, name=name)), axes, keepdims)


@export("nn.sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """The count, the sum and the sum of squares over axes, after subtracting `shift`; and `shift`.

    >>> [t.numpy().tolist() for t in sufficient_statistics(constant([1.0, 3.0]), [0])[:3]]
    [2.0, 4.0, 10.0]
    """
    x = convert_to_tensor(x)
    axes = sorted(set(axes))
    dims = [x.shape[a] for a in axes]
    if None in dims:
        sizes = call(
            "GatherV2", (m.cast(call("Shape", (x,)), x.dtype), constant([a % x.shape.rank for a in axes]), constant(0))
        )
        counts = _reduce("Prod", sizes, [0])
    else:
        counts = constant(pymath.prod(dims), x.dtype)
    if shift is not None:
        shift = convert_to_tensor(shift, x.dtype)
    first = x if shift is None else m.subtract(x, shift)
    second = m.square(x) if shift is None else m.squared_difference(x, shift)
    return counts, _reduce("Sum", first, axes, keepdims), _reduce("Sum", second, axes, keepdims, name), shift


@export("nn.normalize_moments")
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """The mean and variance from sufficient statistics.

    >>> [t.numpy().tolist() for t in normalize_moments(constant(2.0), constant(4.0), constant(10.0), None)]
    [2.0, 1.0]
    """
    divisor = m.reciprocal(convert_to_tensor(counts))
    shifted = m.multiply(mean_ss, divisor)
    mean = shifted if shift is None else m.add(shifted, shift)
    return mean, m.subtract(m.multiply(variance_ss, divisor), m.square(shifted), name=name)


@export("nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    >>> batch_normalization(constant([1.0, 3.0]), 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x, mean, variance = convert_to_tensor(x), convert_to_tensor(mean), convert_to_tensor(variance)
    inverse = m.rsqrt(m.add(variance, convert_to_tensor(variance_epsilon, variance.dtype)))
    if scale is not None:
        inverse = m.multiply(inverse, scale)
    moved = m.multiply(mean, inverse)
    offset = m.negative(moved) if offset is None else m.subtract(offset, moved)
    return m.add(m.multiply(x, m.cast(inverse, x.dtype)), m.cast(offset, x.dtype), name=name)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input,
    mean,
    variance,
    beta,
    gamma,
    variance_epsilon,  # noqa: A002
    scale_after_normalization,
    name=None,
):
    """`batch_normalization`, the scale used only if `scale_after_normalization`.

    >>> batch_norm_with_global_normalization(constant([1.0, 3.0]), 2.0, 1.0, 0.0, 5.0, 0.0, False).numpy()
    array([-1.,  1.], dtype=float32)
    """
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon, name
    )


@export("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """x divided by its length along axes.

    >>> l2_normalize(constant([3.0, 4.0])).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'.")
        axis = dim
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        real, imag = m.real(x), m.imag(x)
        total = _reduce("Sum", m.add(m.square(real), m.square(imag)), axis, True)
        inverse = m.rsqrt(m.maximum(total, constant(epsilon, total.dtype)))
        return m.make_complex(m.multiply(real, inverse), m.multiply(imag, inverse), name=name)
    total = _reduce("Sum", m.square(x), axis, True)
    return m.multiply(x, m.rsqrt(m.maximum(total, constant(epsilon, x.dtype))), name=name)


@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):  # noqa: A002
    """Divide each channel by a power of the sum of squares of its neighbours.

    >>> local_response_normalization(constant([[[[0.0, 0.0]]]])).numpy().tolist()
    [[[[0.0, 0.0]]]]
    """
    attrs = {"depth_radius": int(depth_radius), "bias": float(bias), "alpha": float(alpha), "beta": float(beta)}
    return call("LRN", (convert_to_tensor(input),), attrs, name)


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value, name=None):
    """The fraction of elements that are zero.

    >>> zero_fraction(constant([0.0, 1.0])).numpy().item()
    0.5
    """
    value = convert_to_tensor(value)
    zeros = m.cast(m.equal(value, constant(0, value.dtype)), dtypes.int64)
    size = m.cast(call("Size", (value,), {"out_type": dtypes.int64}), dtypes.float32)
    return m.realdiv(m.cast(_reduce("Sum", zeros, None), dtypes.float32), size, name=name)


@export("nn.in_top_k", "math.in_top_k")
def in_top_k(targets, predictions, k, name=None):
    """Whether each target is among the k classes with the highest predictions.

    >>> in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], 1).numpy()
    array([ True, False])
    """
    targets = convert_to_tensor(targets)
    return call(
        "InTopKV2", (convert_to_tensor(predictions, dtypes.float32), targets, m.cast(k, targets.dtype)), label=name
    )


# --- dropout -------------------------------------------------------------------------------------------------------------


def _noise_shape(x, noise_shape):
    """The shape of the mask; sizes that are None are those of x."""
    if noise_shape is None:
        dims = x.shape
        return dims.as_list() if dims.is_fully_defined() else call("Shape", (x,))
    if isinstance(noise_shape, TensorBase):
        return noise_shape
    try:
        dims = TensorShape(noise_shape).as_list()
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.rank == len(dims):
        dims = [given if mine is None else mine for mine, given in zip(dims, x.shape.as_list(), strict=True)]
    if None in dims:
        raise ValueError(f"`noise_shape` has sizes that are not known. Received: noise_shape={noise_shape}")
    return dims


def _dropout(x, rate, noise_shape, sampler, idle, name):
    is_number = isinstance(rate, numbers.Real) and not isinstance(rate, TensorBase)
    if is_number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    x = convert_to_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
        )
    if is_number:
        if rate == 0:
            idle()
            return x
        scaled = m.multiply(x, constant(1 / (1 - rate), x.dtype))
        rate = constant(rate, x.dtype)
    elif isinstance(rate, TensorBase) or hasattr(rate, "__tf_tensor__"):
        rate = convert_to_tensor(rate)
        if rate.dtype is not x.dtype:
            raise ValueError(
                f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype} and rate.dtype={rate.dtype}"
            )
        scaled = m.realdiv(x, m.subtract(constant(1, x.dtype), rate))
    else:
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    keep = m.greater_equal(sampler(shape=_noise_shape(x, noise_shape), dtype=x.dtype), rate)
    return call("SelectV2", (keep, scaled, constant(0, x.dtype)), label=name)


@export("nn.dropout")
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Set each element to zero with probability `rate`, and scale the others up so that the mean stays.

    >>> random.set_seed(3); dropout(constant([1.0, 1.0, 1.0, 1.0]), 0.5).numpy()
    array([0., 2., 0., 0.], dtype=float32)
    """
    return _dropout(
        x, rate, noise_shape, lambda **k: random.uniform(seed=seed, **k), lambda: random_state.get_seed(seed), name
    )


@export("nn.experimental.stateless_dropout")
def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """`dropout` with a mask that depends on the seed (two integers) alone.

    >>> stateless_dropout(constant([1.0, 1.0, 1.0]), 0.5, [1, 2]).shape
    TensorShape([3])
    """
    return _dropout(
        x, rate, noise_shape, lambda **k: random.stateless_uniform(seed=seed, alg=rng_alg, **k), lambda: None, name
    )


@export("nn.experimental.general_dropout")
def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """`dropout` with uniform numbers from a function `uniform_sampler(shape=, dtype=)`.

    >>> general_dropout(constant([1.0]), 0.5, random.uniform).shape
    TensorShape([1])
    """
    return _dropout(x, rate, noise_shape, uniform_sampler, lambda: None, name)
