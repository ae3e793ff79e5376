"""Ops on accumulators (`reflow/queues/accumulators.py`)."""

from __future__ import annotations

import numpy as np

from reflow.core.resources import shared
from reflow.ops import shape_rules as rules
from reflow.queues.accumulators import Accumulator, SparseAccumulator
from reflow.queues.kernels.queues import queue_op


def _dense(_, dtype, shape, container="", shared_name="", reduction_type="MEAN"):
    return shared(container, shared_name, lambda: Accumulator(dtype, shape, reduction_type, shared_name))


queue_op("ResourceConditionalAccumulator", rules.scalar)(_dense)
queue_op("ConditionalAccumulator", lambda f: [(2,)])(_dense)


@queue_op("SparseConditionalAccumulator", lambda f: [(2,)])
def _sparse(_, dtype, shape, container="", shared_name="", reduction_type="MEAN"):
    return shared(container, shared_name, lambda: SparseAccumulator(dtype, shape, reduction_type, shared_name))


def _apply(_, handle, local_step, gradient):
    handle.apply(int(local_step), gradient)
    return ()


def _count(_, handle):
    return np.asarray(handle.count, np.int32)


def _set_step(_, handle, new_global_step):
    handle.set_step(int(new_global_step))
    return ()


def _take(_, handle, num_required, dtype):
    return handle.take(int(num_required))


for _prefix in ("Resource", ""):
    queue_op(f"{_prefix}AccumulatorApplyGradient")(_apply)
    queue_op(f"{_prefix}AccumulatorNumAccumulated", rules.scalar)(_count)
    queue_op(f"{_prefix}AccumulatorSetGlobalStep")(_set_step)
    queue_op(f"{_prefix}AccumulatorTakeGradient", lambda f: [None], overlaps=True)(_take)


@queue_op("SparseAccumulatorApplyGradient")
def _apply_sparse(_, handle, local_step, gradient_indices, gradient_values, gradient_shape, has_known_shape):
    handle.apply(int(local_step), (gradient_indices, gradient_values, gradient_shape, has_known_shape))
    return ()


@queue_op("SparseAccumulatorTakeGradient", lambda f: [(None,), None, (None,)], overlaps=True)
def _take_sparse(_, handle, num_required, dtype):
    return handle.take(int(num_required))
