"""The parts of streaming metrics: local accumulator variables, and the pair of a value and an update."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.math import arithmetic
from reflow.api.math import reduce as reductions
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.graph_variables import VariableV1
from reflow.compat.losses import check_broadcastable
from reflow.core import dtypes
from reflow.core.context import state
from reflow.ops.convert import convert_to_tensor


def example_of(public: str, given: str, shown: str) -> str:
    """What the documentation of a metric shows: it takes in one batch and prints its value."""
    return f"""
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     value, update = tf.compat.v1.metrics.{public}(
        ...         {given})
        ...     session.run(tf.compat.v1.local_variables_initializer())
        ...     print(session.run(update).round(3))
        {shown}
    """


def sections(arguments: dict[str, str], errors: str = "") -> str:
    """The sections of a metric's docstring; `gives` is the value of the update."""
    first = "".join(f"  {name}: {text}\n" for name, text in arguments.items())
    return f"""\
Args:
{first}\
  metrics_collections: Collections of the graph to which the value is added.
  updates_collections: Collections of the graph to which the update is added.
  name: A name for the scope of the operation.

Returns:
  A pair of tensors: the value so far, and the update, which takes the batch in and gives {{gives}}.

Raises:
{errors}\
  RuntimeError: There is no graph.
"""


_OUTCOMES = {"labels": "The true values.", "predictions": "The predicted values, of the same shape."}
WEIGHTS = {
    "weights": "What each element counts: a number, or a tensor that can be broadcast to the others; 1 by default."
}
METRIC = sections({**_OUTCOMES, **WEIGHTS})


def doc_of(what: str, **special: str) -> str:
    """The docstring of a metric; `special` describes its first arguments if they are not labels and predictions."""
    arguments = {**(special or _OUTCOMES), **WEIGHTS, **special}
    return f"{what}\n\n{sections(arguments).format(gives='the new value')}".rstrip()


def metric_variable(shape, dtype, name: str) -> Any:
    """A local variable of zeros that is a metric's."""
    kind = dtypes.as_dtype(dtype)
    return VariableV1(
        lambda: creation.zeros(shape, kind), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], name=name,
    )


def in_scope(name: str | None, default: str):
    """The name scope of a metric, which also contains its variables."""
    if state.graph is None:
        raise RuntimeError(f"tf.metrics.{default} is not supported when eager execution is enabled.")
    return get_default_graph().scope(name or default)


def as_float(value):
    return arithmetic.cast(convert_to_tensor(value), dtypes.float32)


def labels_and_predictions(labels, predictions, weights=None):
    """The three as tensors; a last dimension of 1 that only one of them has is taken away."""
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    difference = (predictions.shape.rank or 0) - (labels.shape.rank or 0)
    if difference == 1 and predictions.shape[-1] == 1:
        predictions = arrange.squeeze(predictions, [-1])
    elif difference == -1 and labels.shape[-1] == 1:
        labels = arrange.squeeze(labels, [-1])
    if weights is not None:
        weights = convert_to_tensor(weights)
        gap = (weights.shape.rank or 0) - (predictions.shape.rank or 0)
        if weights.shape.rank and gap == 1:
            weights = arrange.squeeze(weights, [-1])
        elif weights.shape.rank and gap == -1:
            weights = arrange.expand_dims(weights, [-1])
    return labels, predictions, weights


def weighted(values, weights):
    """Values times weights, and the weights in the shape of the values."""
    weights = as_float(weights)
    check_broadcastable(weights, values)
    full = arrange.broadcast_to(weights, arrange.shape(values))
    return values * full, full


def add(variable, value):
    """An assignment that adds, whose result is the new value."""
    return variable.assign_add(value)


def collected(value, update, metrics_collections, updates_collections):
    """The pair, entered into collections."""
    graph = get_default_graph()
    if metrics_collections:
        graph.add_to_collections(metrics_collections, value)
    if updates_collections:
        graph.add_to_collections(updates_collections, update)
    return value, update


def running_mean(values, weights, metrics_collections, updates_collections, value=None):
    """The mean of all values so far, with weights; `value` is a function of the mean."""
    values = as_float(values)
    total, count = metric_variable([], "float32", "total"), metric_variable([], "float32", "count")
    if weights is None:
        number = arithmetic.cast(arrange.size(values), dtypes.float32)
    else:
        values, _, weights = labels_and_predictions(values, values, weights)
        values, full = weighted(values, weights)
        number = reductions.reduce_sum(full)
    new_total = add(total, reductions.reduce_sum(values))
    with get_default_graph().control_dependencies([values]):
        new_count = add(count, number)
    value = value or (lambda x: x)
    mean = _named(value(arithmetic.divide_no_nan(total, count)), "value")
    update = _named(value(arithmetic.divide_no_nan(new_total, new_count)), "update_op")
    return collected(mean, update, metrics_collections, updates_collections)


def _named(tensor, name: str):
    return arrange.identity(tensor, name=name)


def ratio(over, under, name: str):
    """over / under, or 0 where there is nothing yet."""
    return _named(arithmetic.divide_no_nan(over, under), name)


def where_true(condition, weights):
    """Ones, or weights, where a condition holds."""
    hits = arithmetic.cast(condition, dtypes.float32)
    return hits if weights is None else weighted(hits, weights)[0]


