"""Copies that are sent ahead to a GPU: taken once, and bounded."""


import jax
import numpy as np
import pytest

from reflow.devices import placement
from reflow.eager import mirrors


class OneDevice:
    """Stands for the places of a machine whose default is one of JAX's devices."""

    default = placement.Place("/device:GPU:0", "GPU", jax.devices("cpu")[0])


@pytest.fixture
def device(monkeypatch):
    monkeypatch.setattr(placement, "placing", lambda: True)
    monkeypatch.setattr(placement, "places", OneDevice)
    yield OneDevice.default.device
    assert not mirrors._copies and mirrors._held == 0


def test_a_copy_is_taken_once(device):
    array = np.arange(mirrors.LEAST, dtype=np.float64)
    mirrors.send_ahead([[array, np.zeros(3)]])
    copy = mirrors.mirror_of(array, device)
    np.testing.assert_array_equal(copy, array)
    assert copy.dtype == array.dtype
    assert mirrors.mirror_of(array, device) is None


def test_copies_that_wait_are_bounded(device, monkeypatch):
    monkeypatch.setattr(mirrors, "MOST", 3 * mirrors.LEAST)
    arrays = [np.zeros(mirrors.LEAST, np.uint8) for _ in range(5)]
    elements = [arrays[:2], arrays[2:4], arrays[4:]]
    mirrors.send_ahead(elements)
    assert mirrors._held == 3 * mirrors.LEAST
    mirrors.send_ahead(elements)
    assert mirrors._held == 3 * mirrors.LEAST
    assert [mirrors.mirror_of(a, device) is not None for a in arrays] == [True, True, True, False, False]


def test_a_copy_larger_than_the_bound_may_wait_alone(device, monkeypatch):
    monkeypatch.setattr(mirrors, "MOST", 1)
    first, second = np.zeros(mirrors.LEAST, np.uint8), np.zeros(mirrors.LEAST, np.uint8)
    mirrors.send_ahead([[first], [second]])
    assert mirrors.mirror_of(second, device) is None
    mirrors.send_ahead([[second]])
    assert mirrors.mirror_of(first, device) is not None
    mirrors.send_ahead([[second]])
    assert mirrors.mirror_of(second, device) is not None


def test_nothing_is_sent_where_there_is_no_gpu():
    mirrors.send_ahead([[np.zeros(mirrors.LEAST)]])
    assert not mirrors._copies
