"""`tensorflow.python.autograph.operators.exceptions`: `assert` of converted code."""

import inspect

from reflow.api.control.printing import assert_ as check
from reflow.core.tensor import is_tensor


def assert_stmt(expression1, expression2):
    """`assert expression1, expression2()`: of a tensor, an op that fails when it runs, returned in a graph."""
    if not callable(expression2):
        raise ValueError(f"{expression2} must be a callable")
    if inspect.signature(expression2).parameters:
        raise ValueError(f"{expression2} may not have any arguments")
    if is_tensor(expression1):
        data = expression2()
        return check(expression1, data if isinstance(data, (list, tuple)) else [data])
    if not expression1:
        raise AssertionError(expression2())
    return None
