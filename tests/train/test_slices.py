"""Slices of partitioned tensors: their texts, and keys that sort as TensorFlow's do."""

import pytest

from reflow.core import errors
from reflow.train import slices


def test_keys_are_those_that_tensorflow_writes():
    assert slices.key("w", ((0, 400), None)) == b"\x00w\x00\x01\x01\x02\x80\xc1\x90\x80\x7f"
    assert slices.key("w", ((400, 200), (0, 2))) == b"\x00w\x00\x01\x01\x02\xc1\x90\xc0\xc8\x80\x82"
    assert slices.key("v", ((0, 69999),)) == b"\x00v\x00\x01\x01\x01\x80\xe1\x11o"


@pytest.mark.parametrize("text", ["4", "4 0,2:0,2", "4 x,2", "a 0,2"])
def test_a_text_that_is_no_slice_is_refused(text):
    with pytest.raises(errors.InvalidArgumentError):
        slices.parse(text)


def test_a_slice_outside_of_the_tensor_is_refused():
    with pytest.raises(errors.InvalidArgumentError, match="out of bounds"):
        slices.shape_of(((3, 2),), (4,))


def test_common_elements_of_two_slices():
    into, source = slices.overlap(((1, 3), None), ((2, 4), (0, 1)), (6, 2))
    assert into == (slice(1, 3), slice(0, 1)) and source == (slice(0, 2), slice(0, 1))
    assert slices.overlap(((0, 2),), ((2, 2),), (4,)) is None
    assert slices.from_proto(slices.to_proto(((1, 3), None))) == ((1, 3), None)
