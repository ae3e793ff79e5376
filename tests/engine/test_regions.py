"""Loops and conditionals of networks."""

import numpy as np
import pytest

import reflow.engine as trt
from tests.engine.test_plugins import run

SUM, PROD = trt.ElementWiseOperation.SUM, trt.ElementWiseOperation.PROD


def count(made, number):
    return made.add_constant((), np.array(number, np.int32)).get_output(0)


def test_a_loop_with_recurrence_iterator_and_outputs():
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, (3, 2))
    start = made.add_input("start", trt.float32, (2,))
    loop = made.add_loop()
    loop.add_trip_limit(count(made, 3), trt.TripLimit.COUNT)
    total = loop.add_recurrence(start)
    row = loop.add_iterator(x, axis=0)
    added = made.add_elementwise(total.get_output(0), row.get_output(0), SUM)
    assert added.get_output(0).shape == (2,)  # asked before the loop is complete
    total.set_input(1, added.get_output(0))
    last = loop.add_loop_output(total.get_output(0), trt.LoopOutput.LAST_VALUE)
    each = loop.add_loop_output(added.get_output(0), trt.LoopOutput.CONCATENATE, axis=1)
    each.set_input(1, count(made, 3))
    back = loop.add_loop_output(added.get_output(0), trt.LoopOutput.REVERSE)
    final = loop.add_loop_output(row.get_output(0), trt.LoopOutput.LAST_VALUE)
    for layer in (last, each, back, final):
        made.mark_output(layer.get_output(0))
    assert each.get_output(0).shape == (2, 3)
    sums = np.cumsum(rows, 0) + 1
    results = run(made, rows, np.ones(2, np.float32))
    for got, want in zip(results, (sums[-1], sums.T, sums[::-1], rows[-1]), strict=True):
        np.testing.assert_allclose(got, want)


def test_a_loop_while_a_condition_holds_inside_another():
    """Doubles a number until it is 100 or more, twice, and adds up."""
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, ())
    two, limit = (made.add_constant((), np.float32(n)).get_output(0) for n in (2, 100))
    outer = made.add_loop()
    outer.add_trip_limit(count(made, 2), trt.TripLimit.COUNT)
    total = outer.add_recurrence(x)
    inner = made.add_loop()
    value = inner.add_recurrence(total.get_output(0))
    less = made.add_elementwise(value.get_output(0), limit, trt.ElementWiseOperation.LESS)
    inner.add_trip_limit(less.get_output(0), trt.TripLimit.WHILE)
    value.set_input(1, made.add_elementwise(value.get_output(0), two, PROD).get_output(0))
    grown = inner.add_loop_output(value.get_output(0), trt.LoopOutput.LAST_VALUE)
    total.set_input(1, made.add_elementwise(grown.get_output(0), x, SUM).get_output(0))
    made.mark_output(outer.add_loop_output(total.get_output(0), trt.LoopOutput.LAST_VALUE).get_output(0))
    assert run(made, np.float32(3))[0] == 96 * 2 + 3 + 3  # 3 -> 192, +3 -> 195 stays, +3


@pytest.mark.parametrize("yes", [True, False])
def test_a_conditional(yes):
    made = trt.INetworkDefinition()
    x, condition = made.add_input("x", trt.float32, (2,)), made.add_input("c", trt.bool, ())
    conditional = made.add_if_conditional()
    conditional.set_condition(condition)
    inside = conditional.add_input(x).get_output(0)
    double, square = (made.add_elementwise(inside, inside, op).get_output(0) for op in (SUM, PROD))
    made.mark_output(conditional.add_output(double, square).get_output(0))
    x_value = np.float32([3, 4])
    np.testing.assert_allclose(run(made, x_value, np.bool_(yes))[0], x_value * 2 if yes else x_value**2)


def test_what_is_missing_is_named():
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, ())
    loop = made.add_loop()
    value = loop.add_recurrence(x)
    made.mark_output(loop.add_loop_output(value.get_output(0), trt.LoopOutput.LAST_VALUE).get_output(0))
    with pytest.raises(ValueError, match="The loop 'Loop_0' has no trip limit"):
        made.graph()
    loop.add_trip_limit(count(made, 1), trt.TripLimit.COUNT)
    with pytest.raises(ValueError, match=r"no value for the next iteration: call set_input\(1, tensor\)"):
        made.graph()
    other = trt.INetworkDefinition()
    conditional = other.add_if_conditional()
    y = other.add_input("y", trt.float32, ())
    other.mark_output(conditional.add_output(y, y).get_output(0))
    with pytest.raises(ValueError, match="no condition"):
        other.graph()
