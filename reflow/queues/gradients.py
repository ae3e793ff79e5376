"""`tf.compat.v1.ConditionalAccumulator`: combines gradients of several workers."""

from __future__ import annotations

from typing import NamedTuple

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor


@export("compat.v1.ConditionalAccumulatorBase")
class ConditionalAccumulatorBase:
    """An accumulator by its handle.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     total = tf.compat.v1.ConditionalAccumulator(tf.float32, [])
    ...     isinstance(total, tf.compat.v1.ConditionalAccumulatorBase), session.run(total.num_accumulated()).item()
    (True, 0)
    """

    _prefix = "Resource"

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = dtypes.as_dtype(dtype)
        self._shape = TensorShape(None) if shape is None else TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    accumulator_ref = property(lambda self: self._accumulator_ref, doc="The tensor that holds the accumulator.")
    name = property(lambda self: self._name, doc="The name of the accumulator.")
    dtype = property(lambda self: self._dtype, doc="The type of the gradients.")

    def num_accumulated(self, name=None):
        """How many gradients have been added since the last were taken."""
        return call(
            f"{self._prefix}AccumulatorNumAccumulated", (self._accumulator_ref,), {},
            name or f"{self._name}_NumAccumulated",
        )

    def set_global_step(self, new_global_step, name=None):
        """An operation that says at which step the accumulator is: older gradients are dropped."""
        step = _int64(new_global_step)
        call(f"{self._prefix}AccumulatorSetGlobalStep", (self._accumulator_ref, step), {}, name)
        return state.graph.nodes[-1]


def _int64(value) -> Tensor:
    step = convert_to_tensor(value, None if isinstance(value, Tensor) else dtypes.int64)
    return step if step.dtype == dtypes.int64 else call("Cast", (step,), {"DstT": dtypes.int64})


def _reduction(op: str, given: str) -> str:
    if given not in ("MEAN", "SUM"):
        raise ValueError(f"Attr 'reduction_type' of '{op}' Op passed string '{given}' not in: \"MEAN\", \"SUM\".")
    return given


def _make(op, dtype, shape, shared_name, name, reduction_type):
    if state.graph is None:
        raise RuntimeError("Accumulators are not compatible with eager execution.")
    attrs = {
        "dtype": dtypes.as_dtype(dtype),
        "shape": TensorShape(shape)._dims if shape is not None else None,
        "shared_name": shared_name or "",
        "container": "",
        "reduction_type": _reduction(op, reduction_type),
    }
    return call(op, (), attrs, name)


@export("compat.v1.ConditionalAccumulator")
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up dense gradients; those of an older step are dropped.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     total = tf.compat.v1.ConditionalAccumulator(tf.float32, [])
    ...     for gradient in (1.0, 2.0):
    ...         session.run(total.apply_grad(gradient))
    ...     session.run(total.take_grad(2)).item()
    1.5
    """

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
        ref = _make("ResourceConditionalAccumulator", dtype, shape, shared_name, name, reduction_type)
        super().__init__(dtype, shape, ref)

    def apply_grad(self, grad, local_step=0, name=None):
        """An operation that adds a gradient, unless `local_step` is older than the accumulator's step."""
        grad = convert_to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        call(
            "ResourceAccumulatorApplyGradient", (self._accumulator_ref, _int64(local_step), grad),
            {"dtype": self._dtype}, name,
        )
        return state.graph.nodes[-1]

    def take_grad(self, num_required, name=None):
        """The mean or sum of the gradients, once there are `num_required`; waits for them."""
        count = convert_to_tensor(num_required, dtypes.int32)
        out = call("ResourceAccumulatorTakeGradient", (self._accumulator_ref, count), {"dtype": self._dtype}, name)
        out.set_shape(self._shape)
        return out


class SparseGradient(NamedTuple):
    """What `SparseConditionalAccumulator.take_grad` gives."""

    indices: Tensor
    values: Tensor
    shape: Tensor


@export("compat.v1.SparseConditionalAccumulator", "compat.v1.sparse.SparseConditionalAccumulator")
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up sparse gradients, row by row.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     total = tf.compat.v1.SparseConditionalAccumulator(tf.float32, [3, 1], reduction_type="SUM")
    ...     for rows in ([0, 2], [2]):
    ...         session.run(total.apply_grad(rows, tf.ones([len(rows), 1])))
    ...     indices, values, shape = session.run(total.take_grad(2))
    >>> indices.tolist(), values.tolist()
    ([0, 2], [[1.0], [2.0]])
    """

    _prefix = ""

    def __init__(
        self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"
    ):
        ref = _make("SparseConditionalAccumulator", dtype, shape, shared_name, name, reduction_type)
        super().__init__(dtype, shape, ref)

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """An operation that adds a gradient that is `tf.IndexedSlices`."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """An operation that adds rows to the gradient."""
        indices = _int64(grad_indices)
        shape = _int64([] if grad_shape is None else grad_shape)
        inputs = (
            self._accumulator_ref, _int64(local_step), indices, convert_to_tensor(grad_values, self._dtype), shape
        )
        known = {"has_known_shape": grad_shape is not None, "dtype": self._dtype}
        call("SparseAccumulatorApplyGradient", inputs, known, name)
        return state.graph.nodes[-1]

    def take_grad(self, num_required, name=None) -> SparseGradient:
        """Indices, values and shape of the mean or sum, once there are `num_required` gradients."""
        count = convert_to_tensor(num_required, dtypes.int32)
        out = call("SparseAccumulatorTakeGradient", (self._accumulator_ref, count), {"dtype": self._dtype}, name)
        return SparseGradient(*out)

    def take_indexed_slices_grad(self, num_required, name=None) -> IndexedSlices:
        """The same as `tf.IndexedSlices`."""
        found = self.take_grad(num_required, name)
        return IndexedSlices(found.values, found.indices, found.shape)
