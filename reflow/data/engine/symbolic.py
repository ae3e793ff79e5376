"""Symbolic checkpoints (`Options.experimental_symbolic_checkpoint`): positions that hold no elements from which
datasets were made.

A stage that reads the dataset of an element saves where its input was before that element, and reads the element again
when it is restored. Some stages have no such position. A pipeline that contains one cannot be saved, as in TensorFlow,
also when the dataset with that stage has ended: it is then noted as `refused` by the iterator that read it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from reflow.core import errors
from reflow.data.engine.buffers import Channel
from reflow.data.engine.values import DatasetIterator, Listed


def check(position: DatasetIterator) -> None:
    """UnimplementedError if an iterator, or one that it reads or has read, has no symbolic position."""
    name = refusal(position)
    if name is not None:
        raise errors.UnimplementedError(None, None, f"{name} does not support symbolic checkpointing.")


def refusal(position: Any) -> str | None:
    """The op of the stage for which an iterator has no symbolic position: of several, that which is read last."""
    return functools.reduce(lambda _, name: name, _refusals(position), None)


def _refusals(x: Any) -> Iterator[str]:
    if isinstance(x, DatasetIterator):
        yield from _refusals([value for name, value in vars(x).items() if name != "dataset"])
        if x.refused is not None:
            yield x.refused
        if not x.dataset.symbolic or isinstance(x.dataset, Listed) and x.dataset.recipe is None:
            yield _op_name(x.dataset)
    elif isinstance(x, Channel):
        yield from _refusals(x.source)
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from _refusals(item)


def _op_name(dataset: Any) -> str:
    if isinstance(dataset, Listed):
        return "WindowOp"
    made = dataset.recipe or getattr(dataset.origin, "recipe", None)
    return made.op if made is not None else dataset.name
