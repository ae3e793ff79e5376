"""Datasets of Python generators in files: `GeneratorDataset`, as TensorFlow writes them.

In the process that wrote it, such a file can be read and run again: its functions call Python by a token. Elsewhere it
shows what there was.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.control.py_functions import numpy_function
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.data.functions import Traced
from reflow.data.kernels.dataset import python_generator_dataset
from reflow.ops import registry


def _as_generator_dataset(attrs: dict[str, Any], inputs: Sequence[Tensor]) -> list[Tensor]:
    """The dataset in TensorFlow's ops: functions that begin an iterator, ask it for the next element, and forget it."""
    start, elements = attrs["start"], attrs["start"].element_attrs
    kinds = list(elements["output_types"])
    begin, following, forget = start.functions = getattr(start, "functions", None) or _functions(start)
    init = Traced(
        lambda *args: numpy_function(begin, args, dtypes.int64), "from_generator",
        tuple(TensorSpec(t.shape, t.dtype) for t in inputs),
    )
    number = TensorSpec([], dtypes.int64)
    step = Traced(lambda n: tuple(numpy_function(following, [n], kinds)), "from_generator", number)
    end = Traced(lambda n: numpy_function(forget, [n], dtypes.int64), "from_generator", number)
    functions = {"init_func": init.graph, "next_func": step.graph, "finalize_func": end.graph}
    types = {"Tinit_func_args": [t.dtype for t in inputs], "Tnext_func_args": [], "Tfinalize_func_args": []}
    return [call("GeneratorDataset", list(inputs), functions | types | elements)]


def _functions(start: Callable[..., Iterator]) -> tuple[Callable, Callable, Callable]:
    """Begin an iterator, which gets a number; its next element; forget it."""
    running: dict[int, Iterator] = {}
    numbers = itertools.count()

    def begin(*values: np.ndarray) -> Any:
        number = next(numbers)
        running[number] = start(*values)
        return np.int64(number)

    def following(number: np.ndarray) -> list[np.ndarray]:
        return [EagerTensor(value).numpy() for value in next(running[int(number)])]

    def forget(number: np.ndarray) -> Any:
        running.pop(int(number), None)
        return np.int64(0)

    return begin, following, forget


registry.extend(python_generator_dataset, expand=_as_generator_dataset)
