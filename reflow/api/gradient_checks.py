"""`tf.test.compute_gradient`: a function's analytic and numeric Jacobians, for comparison in a test.

A complex number counts as two real ones: a Jacobian of n complex outputs has 2n rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import dtypes
from reflow.eager.tape import GradientTape
from reflow.ops.convert import convert_to_tensor

#: how far an argument is moved to each side
DELTA = 1.0 / 1024


@export("test.compute_gradient")
def compute_gradient(f: Callable, x: list | tuple, delta: float | None = None) -> tuple:
    """The analytic and numeric Jacobians of a function with respect to each of its arguments.

    Args:
      f: a function of tensors that returns a tensor.
      x: a list of its arguments, of floats or complex numbers.
      delta: how far an argument is moved to each side; 1/1024 unless it is given.

    Returns:
      Two tuples of matrices, one for each argument, with a row for each element of the result.

    Raises:
      ValueError: if `x` is not a list.

    >>> exact, measured = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 3.0])])
    >>> exact[0].tolist(), measured[0].tolist()
    ([[2.0, 0.0], [0.0, 6.0]], [[2.0, 0.0], [0.0, 6.0]])
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}"
        )
    arguments = [convert_to_tensor(value) for value in x]
    for i, argument in enumerate(arguments):
        if not (argument.dtype.is_floating or argument.dtype.is_complex):
            raise AssertionError(f"Cannot compute gradient for unsupported type {argument.dtype.name} of argument {i}")
    step = DELTA if delta is None else delta
    places = range(len(arguments))
    return tuple(_exact(f, arguments, i) for i in places), tuple(_measured(f, arguments, i, step) for i in places)


def _real(array: np.ndarray) -> np.ndarray:
    """All numbers in a row, complex ones as two: a view."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _numbers(tensor: Any) -> np.ndarray:
    return np.array(convert_to_tensor(tensor).numpy())


def _exact(f: Callable, arguments: list, place: int) -> np.ndarray:
    """Row by row: the gradient of each number of the result."""
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments[place])
        result = convert_to_tensor(f(*arguments))
    shown = _numbers(result)
    columns = _real(_numbers(arguments[place]))
    rows = []
    for i in range(_real(shown).size):
        seed = np.zeros_like(shown)
        _real(seed)[i] = 1
        found = tape.gradient(result, arguments[place], output_gradients=convert_to_tensor(seed))
        rows.append(np.zeros_like(columns) if found is None else _real(_numbers(found)))
    return np.stack(rows) if rows else np.zeros((0, columns.size), columns.dtype)


def _measured(f: Callable, arguments: list, place: int, step: float) -> np.ndarray:
    """Column by column: what the result does when one number of the argument moves."""
    start = _numbers(arguments[place])
    columns = []
    for i in range(_real(start).size):
        ends = []
        for sign in (-1, 1):
            moved = start.copy()
            view = _real(moved)
            view[i] = view[i] + np.asarray(sign * step, view.dtype)
            given = [*arguments[:place], convert_to_tensor(moved, arguments[place].dtype), *arguments[place + 1 :]]
            ends.append(_real(_numbers(f(*given))))
        columns.append((ends[1] - ends[0]) / np.asarray(2 * step, ends[0].dtype))
    if columns:
        return np.stack(columns, 1)
    size = _real(_numbers(f(*arguments))).size
    return np.zeros((size, 0), dtypes.as_dtype(arguments[place].dtype).real_dtype.np_dtype)
