"""`tensorflow.python.ops.signal.util_ops`: the greatest common divisor."""

from __future__ import annotations

import math
from typing import Any

from reflow.api.array.arrange import get_static_value
from reflow.api.math import arithmetic
from reflow.api.scoped import scoped
from reflow.function.control_flow import while_loop
from reflow.ops.convert import convert_to_tensor


@scoped("gcd")
def gcd(a: Any, b: Any, name: str | None = None) -> Any:
    """The greatest number that divides two whole numbers, which are scalars."""
    numbers = {"a": convert_to_tensor(a), "b": convert_to_tensor(b)}
    for key, number in numbers.items():
        number.shape.assert_has_rank(0)
        if not number.dtype.is_integer:
            raise ValueError(f"{key} must be an integer type. Got: {number.dtype}")
    a, b = numbers.values()
    known = get_static_value(a), get_static_value(b)
    if None not in known:
        return convert_to_tensor(math.gcd(*map(int, known)))
    return while_loop(lambda _, b: arithmetic.greater(b, 0), lambda a, b: [b, arithmetic.floormod(a, b)], [a, b])[0]
