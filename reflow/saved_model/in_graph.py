"""Loads into a plain graph, whose values are in TensorFlow 1 sessions.

There, the result of `tf.saved_model.load` consists of nodes. A variable's initializer reads the checkpoint;
`tf.compat.v1.tables_initializer` fills tables; assets are in the collection of asset files. Sessions that initialize
everything need no more.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from reflow.api.array.arrange import ensure_shape, get_static_value
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Proto
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization
from reflow.graph.proto_values import decode_dtype, decode_shape
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run


def new_variable(proto: Proto, prefix: str, key: str | None) -> Any:
    """The variable of a SavedVariable. Its first value is that of a key in a checkpoint; without one, zeros.

    As for every variable, the creators in scope apply. It is not among the trainable variables of the graph: whoever
    builds on a loaded model decides about that.
    """
    return by_creators(proto, functools.partial(_made, prefix, key))


def by_creators(proto: Proto, make: Any) -> Any:
    """The variable of a SavedVariable that the creators in scope give, the innermost of which may ask `make`."""
    for creator in state.variable_creators:
        make = functools.partial(creator, make)
    return make(
        initial_value=None, trainable=proto.trainable, name=proto.name or "Variable", dtype=decode_dtype(proto.dtype),
        shape=decode_shape(proto.shape), synchronization=VariableSynchronization(proto.synchronization),
        aggregation=VariableAggregation(proto.aggregation),
    )


def _made(prefix: str, key: str | None, **given: Any) -> Any:
    from reflow.compat.behavior import GraphKeys
    from reflow.compat.graph_variables import GraphVariable

    def first_value() -> Tensor:
        if key is None:
            return convert_to_tensor(np.zeros([n or 0 for n in given["shape"] or ()]), given["dtype"])
        names = [convert_to_tensor(np.array(text, object), dtypes.string) for text in (prefix, [key.encode()], [b""])]
        (value,) = run("RestoreV2", *names, dtypes=[given["dtype"]])
        return ensure_shape(value, given["shape"])

    trainable = given["trainable"]
    if given["initial_value"] is None:
        given["initial_value"] = first_value
    made = GraphVariable(**{**given, "trainable": False}, collections=[GraphKeys.GLOBAL_VARIABLES])
    made._trainable = trainable
    return made


def note_asset(path: Tensor) -> None:
    """Put the path of an asset into the graph's collection of asset files."""
    from reflow.compat.behavior import GraphKeys

    state.graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, path)


def note_initializers(nodes: Iterable[Any]) -> None:
    """Let `tf.compat.v1.tables_initializer` run these nodes."""
    from reflow.compat.behavior import GraphKeys

    for node in nodes:
        state.graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, getattr(node, "op", node))


def initialize_by(variable: Any, reading: list[Any]) -> None:
    """Let the initializer of a variable that was not made here read the checkpoint, too."""
    if reading:
        variable._initializer = getattr(reading[0], "op", reading[0])


def constant_of(tensor: Tensor) -> EagerTensor:
    """A captured tensor as a constant that a file can hold.

    Itself, or in a plain graph its value, which must be known.
    """
    if isinstance(tensor, EagerTensor):
        return tensor
    value = get_static_value(tensor)
    if value is None:
        raise ValueError(
            f"Unable to save a function because it captures the graph tensor {tensor}, which cannot be converted to a "
            "constant with `tf.get_static_value`."
        )
    return EagerTensor(np.asarray(value), tensor.dtype)
