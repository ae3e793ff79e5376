"""`tensorflow.python.data.util.traverse`: the ops in a graph by which a dataset is made."""

from collections import deque
from collections.abc import Callable
from typing import Any

from reflow.core import dtypes


def _makes_variant(op: Any) -> bool:
    return op.outputs[0].dtype == dtypes.variant


def _ops_before(dataset: Any, wanted: Callable[[Any], bool]) -> list[Any]:
    """The ops that lead to a dataset and are wanted, each once, the nearest first."""
    waiting, seen, found = deque([dataset._variant_tensor.op]), set(), []
    while waiting:
        op = waiting.popleft()
        if op.name in seen:
            continue
        seen.add(op.name)
        if wanted(op):
            found.append(op)
        waiting.extend(tensor.op for tensor in op.inputs)
    return found


def obtain_all_variant_tensor_ops(dataset: Any) -> list[Any]:
    """The ops that make variants."""
    return _ops_before(dataset, _makes_variant)


def obtain_capture_by_value_ops(dataset: Any) -> list[Any]:
    """The stateful ops that may be run again where the dataset is made.

    Those that make variants, and those that stand for none.
    """
    return _ops_before(dataset, lambda op: _makes_variant(op) or op.type.startswith("Dummy"))
