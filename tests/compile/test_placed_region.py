"""Functions where there is a choice of devices: JAX's further CPU devices play the GPUs (`tests/pretended.py`)."""

import jax
import numpy as np

from reflow.compile.placed_region import brought, is_at
from reflow.core.tensor import HostObject


def device(n):
    return jax.devices("cpu")[n]


def test_a_value_is_brought_once():
    there = brought(jax.device_put(np.float32([1.0, 2.0]), device(0)), device(1))
    assert is_at(there, device(1)) and not is_at(there, device(0))
    assert brought(there, device(1)) is there


def test_host_arrays_are_left_to_the_program():
    """JAX moves them with the call, all at once."""
    array = np.float32([1.0])
    assert brought(array, device(1)) is array and brought(None, device(1)) is None


def test_host_objects_stay_where_they_are():
    thing = HostObject()
    assert brought(thing, device(1)) is thing
