"""`tf.nondifferentiable_batch_function`: a function that runs once for the calls of several threads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.export import export
from reflow.core import nest
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.function.function import function
from reflow.ops.dispatch import run


def _with_any_rows(i: int, x: Tensor) -> TensorSpec:
    """The spec of an argument in a batch: its first size depends on the other calls."""
    if not isinstance(x, Tensor):
        raise ValueError(
            f"All arguments to functions decorated with `batch_function` are supposed to be Tensors; found {x!r}."
        )
    dims = x.shape._dims
    return TensorSpec(None if dims is None else [None, *dims[1:]], x.dtype, name=f"batch_{i}")


@export("nondifferentiable_batch_function")
def nondifferentiable_batch_function(
    num_batch_threads: int, max_batch_size: int, batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None, max_enqueued_batches: int = 10, autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: calls that arrive together, from several threads, run as one call on all of their rows.

    The first axis of all arguments and results is the batch. A call waits until the batch is full or the time is over.

    Args:
      num_batch_threads: how many batches may run at the same time.
      max_batch_size: rows of a batch, at most.
      batch_timeout_micros: how long a call waits for others, in microseconds.
      allowed_batch_sizes: if given, batches are filled up to one of these sizes; the last is `max_batch_size`.
      max_enqueued_batches: how many batches may wait; one more raises `UnavailableError`.
      autograph: whether the function's Python is converted.
      enable_large_batch_splitting: whether a call with more rows than a batch becomes several; it is refused otherwise.

    Returns:
      A decorator of functions of tensors. Gradients do not pass through them.

    Raises:
      ValueError: at a call, for an argument that is not a tensor.

    >>> @tf.nondifferentiable_batch_function(num_batch_threads=1, max_batch_size=4, batch_timeout_micros=10)
    ... def doubled(x):
    ...     return 2 * x
    >>> doubled(tf.constant([1, 2])).numpy().tolist()
    [2, 4]
    """
    attrs = {
        "num_batch_threads": num_batch_threads, "max_batch_size": max_batch_size,
        "batch_timeout_micros": batch_timeout_micros, "allowed_batch_sizes": list(allowed_batch_sizes or ()),
        "max_enqueued_batches": max_enqueued_batches, "enable_large_batch_splitting": enable_large_batch_splitting,
    }

    def decorator(fn: Callable[..., Any]) -> Callable[..., Any]:
        traced = function(fn, autograph=autograph)

        @functools.wraps(fn)
        def decorated(*args: Tensor) -> Any:
            concrete = traced.get_concrete_function(*[_with_any_rows(i, x) for i, x in enumerate(args)])
            captured = list(concrete.captured_inputs)
            types = {"Tin": [x.dtype for x in args], "Tcaptured": [x.dtype for x in captured]}
            types["Tout"] = [x.dtype for x in concrete.outputs]
            found = run("BatchFunction", *args, *captured, f=concrete.graph, **types, **attrs)
            flat = list(found) if isinstance(found, (list, tuple)) else [found]
            return nest.pack_sequence_as(concrete.structured_outputs, flat, expand_composites=True)

        return decorated

    return decorator
