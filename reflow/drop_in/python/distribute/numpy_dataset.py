"""`tensorflow.python.distribute.numpy_dataset`: datasets of the rows of arrays, which variables hold."""

from typing import Any, NamedTuple

import numpy as np

from reflow.api.array.creation import zeros
from reflow.api.config import device
from reflow.api.framework.core_names import placeholder
from reflow.compat.graph_variables import VariableV1
from reflow.core import dtypes, nest
from reflow.core.context import init_scope, state
from reflow.data.dataset import DatasetV2

_FED = 64 << 20  # bytes that one call of a session feeds, if a row has no more


def init_var_from_numpy(input_var: Any, numpy_input: np.ndarray, session: Any) -> None:
    """Give a variable the values of an array. In a graph a session does, some rows at a time."""
    with init_scope():
        if state.graph is None:
            input_var.assign(numpy_input)
            return
        session.run(input_var.initializer)
        begin, end = placeholder(dtypes.int64, ()), placeholder(dtypes.int64, ())
        rows = placeholder(input_var.dtype)
        assign = input_var[begin:end].assign(rows)
        size = max(1, numpy_input[:1].nbytes)
        count = -(-_FED // size)
        for first in range(0, len(numpy_input), count):
            part = numpy_input[first : first + count]
            session.run(assign, {begin: first, end: first + len(part), rows: part})


class SingleDevice(NamedTuple):
    """Where a variable is created that has no copies elsewhere."""

    device: str


def one_host_numpy_dataset(numpy_input: Any, colocate_with: Any, session: Any) -> DatasetV2:
    """A dataset of the rows of arrays in a structure, which variables on one device hold."""
    arrays = nest.flatten(numpy_input)
    with device(colocate_with.device):
        held = [VariableV1(zeros(array.shape, array.dtype), trainable=False) for array in arrays]
    for variable, array in zip(held, arrays, strict=True):
        init_var_from_numpy(variable, array, session)
    return DatasetV2.from_tensor_slices(nest.pack_sequence_as(numpy_input, tuple(held)))
