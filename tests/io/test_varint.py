"""Numbers in groups of seven bits."""

import pytest

from reflow.io import varint


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**32, 2**63, 2**64 - 1])
def test_a_number_comes_back(number):
    data = b"x" + varint.encode(number) + b"y"
    assert varint.decode(data, 1) == (number, len(data) - 1)


def test_negative_numbers_are_those_of_64_bits_and_torn_ones_are_refused():
    assert varint.decode(varint.encode(-1), 0) == (2**64 - 1, 10)
    with pytest.raises(IndexError):
        varint.decode(b"\x80", 0)
