"""Reductions, running sums, and positions of extrema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import Node, positive, rank, scalar
from reflow.onnx.operators.math import unsigned_up
from reflow.onnx.table import operator


def _l1(x: Any, axis: Any, keepdims: bool) -> Any:
    return tf.reduce_sum(tf.abs(x), axis, keepdims)


def _l2(x: Any, axis: Any, keepdims: bool) -> Any:
    return tf.sqrt(_square_sum(x, axis, keepdims))


def _square_sum(x: Any, axis: Any, keepdims: bool) -> Any:
    return tf.reduce_sum(tf.square(x), axis, keepdims)


def _log_sum(x: Any, axis: Any, keepdims: bool) -> Any:
    return tf.math.log(tf.reduce_sum(x, axis, keepdims))


def _log_sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    return tf.reduce_logsumexp(x, axis, keepdims)


def _reduction(name: str, function: Callable[..., Any]) -> None:
    @operator(name)
    def convert(node: Node, x: Any, axes: Any = None) -> Any:
        """The axes to reduce: without any, all, unless `noop_with_empty_axes` says none."""
        found = node.axes(axes)
        if not found:
            if node.get("noop_with_empty_axes", 0):
                found = []
            else:
                found = None
        keep = bool(node.get("keepdims", 1))
        if x.dtype == tf.bool:
            return (tf.reduce_any if name == "ReduceMax" else tf.reduce_all)(x, found, keep)
        if x.dtype.is_integer and name in _IN_FLOATS:
            return tf.cast(function(tf.cast(x, tf.float64), found, keep), x.dtype)
        return unsigned_up(lambda t: function(t, found, keep), x)


_IN_FLOATS = ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean")

_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceSum": tf.reduce_sum, "ReduceMean": tf.reduce_mean, "ReduceMax": tf.reduce_max, "ReduceMin": tf.reduce_min,
    "ReduceProd": tf.reduce_prod, "ReduceL1": _l1, "ReduceL2": _l2, "ReduceSumSquare": _square_sum,
    "ReduceLogSum": _log_sum, "ReduceLogSumExp": _log_sum_exp,
}  # fmt: skip
for _name, _function in _REDUCTIONS.items():
    _reduction(_name, _function)


def _extreme(name: str, function: Callable[..., Any]) -> None:
    @operator(name)
    def convert(node: Node, x: Any) -> Any:
        axis = positive(node.get("axis", 0), rank(x))
        if node.get("select_last_index", 0):
            found = tf.shape(x, tf.int64)[axis] - 1 - function(tf.reverse(x, [axis]), axis)
        else:
            found = function(x, axis)
        return tf.expand_dims(found, axis) if node.get("keepdims", 1) else found


_extreme("ArgMax", tf.argmax)
_extreme("ArgMin", tf.argmin)


def _running(name: str, function: Callable[..., Any]) -> None:
    @operator(name)
    def convert(node: Node, x: Any, axis: Any) -> Any:
        exclusive, reverse = bool(node.get("exclusive", 0)), bool(node.get("reverse", 0))
        along = int(np.ravel(node.value(axis, "axis"))[0])
        return unsigned_up(lambda t: function(t, along, exclusive, reverse), x)


_running("CumSum", tf.cumsum)
_running("CumProd", tf.math.cumprod)


@operator("TopK")
def top_k(node: Node, x: Any, k: Any = None) -> Any:
    """The largest or smallest along an axis, and where they are. `k` is an attribute before operator set 10."""
    count = tf.constant(node.get("k"), tf.int32) if k is None else tf.cast(tf.reshape(k, []), tf.int32)
    axis = positive(node.get("axis", -1), rank(x))
    order = [i for i in range(rank(x)) if i != axis] + [axis]
    back = [order.index(i) for i in range(rank(x))]
    rows = tf.transpose(x, order)
    largest = node.get("largest", 1)
    if largest:
        indices = tf.math.top_k(rows, count).indices
    else:  # the first of equal ones comes first, also here
        indices = tf.argsort(rows, axis=-1, stable=True)[..., :count]
    values = tf.gather(rows, indices, batch_dims=rank(x) - 1)
    return tf.transpose(values, back), tf.transpose(tf.cast(indices, tf.int64), back)


@operator("LpNormalization")
def lp_normalization(node: Node, x: Any) -> Any:
    axis = node.get("axis", -1)
    norm = _l1(x, axis, True) if node.get("p", 2) == 1 else _l2(x, axis, True)
    return tf.math.divide_no_nan(x, norm)


@operator("MeanVarianceNormalization")
def mean_variance_normalization(node: Node, x: Any) -> Any:
    axes = node.get("axes", [0, 2, 3])
    centred = x - tf.reduce_mean(x, axes, True)
    return centred / (tf.sqrt(tf.reduce_mean(tf.square(centred), axes, True)) + scalar(1e-9, x))
