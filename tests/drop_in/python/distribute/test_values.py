"""Distributed values that act as the first of them."""

import copy

import pytest

from reflow.drop_in.python.distribute.values import DistributedDelegate


class Box:
    def __init__(self, x):
        self.x = x


def test_attributes():
    both = DistributedDelegate((Box(7), Box(8)))
    assert both.x == 7 and copy.copy(both).x == copy.deepcopy(both).x == 7 and both.values[1].x == 8
    with pytest.raises(AttributeError, match="'Box' object has no attribute 'y'"):
        both.y  # noqa: B018 - reading it raises


def test_operators():
    both = DistributedDelegate((7, 8))
    assert (both + 1, 1 + both, both - 1, 10 - both, both * 2, both / 2, 15 // both, both % 4, both**2, 2**both) == (
        8, 8, 6, 3, 14, 3.5, 2, 3, 49, 128,
    )  # fmt: skip
    assert (both & 3, both | 8, both ^ 1, -both, ~both, abs(both), both < 8, both >= 8) == (
        3, 15, 6, -7, -8, 7, True, False
    )
    assert both != 7 and DistributedDelegate(("ab", "c"))[1] == "b"


def test_powers_with_a_modulus():
    value = DistributedDelegate((7, 8))
    assert (pow(value, 3), pow(value, 3, 10), pow(2, value)) == (343, 3, 128)
