"""Numbers in groups of seven bits."""

import pytest

from reflow.io import varint


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**32, 2**63, 2**64 - 1])
def test_a_number_comes_back(number):
    data = b"x" + varint.encode(number) + b"y"
    assert varint.decode(data, 1) == (number, len(data) - 1)


def test_negative_numbers_are_those_of_64_bits_and_torn_ones_are_refused():
    assert varint.decode(varint.encode(-1), 0) == (2**64 - 1, 10)
    with pytest.raises(ValueError, match="varint runs past its end"):
        varint.decode(b"\x80", 0)
    with pytest.raises(ValueError, match="varint runs past its end"):
        varint.decode(b"\xac\x02", 0, 1)


@pytest.mark.parametrize("data", [b"\xff" * 9 + b"\x02", b"\x80" * 10 + b"\x01", b"\xff" * 2**20])
def test_numbers_of_more_than_64_bits_are_refused(data):
    with pytest.raises(ValueError, match="varint longer than 64 bits"):
        varint.decode(data, 0)


def test_fields():
    data = b"\x08\x05\x11" + bytes(8) + b"\x1a\x02hi\x25" + bytes(4)
    assert list(varint.fields(data)) == [(1, 5), (2, bytes(8)), (3, b"hi"), (4, bytes(4))]
    for cut in (1, 4, 12, 13, 16, len(data) - 1):
        with pytest.raises(ValueError, match="runs past its end|ends behind the data"):
            list(varint.fields(data[:cut]))
    with pytest.raises(ValueError, match="kind 3"):
        list(varint.fields(b"\x0b"))
