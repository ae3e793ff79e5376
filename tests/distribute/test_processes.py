"""Processes find each other by their addresses.

What happens once they have is tested with two of them (`test_multi_worker.py`).
"""

import pytest

import reflow as tf
from reflow.distribute.processes import Processes, answers, listen, split_address
from tests.distribute.workers import free_addresses


def test_addresses():
    assert split_address("127.0.0.1:22") == ("127.0.0.1", 22) and split_address("[::1]:22") == ("::1", 22)
    with pytest.raises(ValueError, match="host:port. Received: 'here'"):
        split_address("here")


def test_an_address_in_use_is_named():
    (address,) = free_addresses(1)
    assert not answers(address)
    with listen(address):
        assert answers(address)
        with pytest.raises(
            tf.errors.UnknownError, match=f"Could not start server on {address}.* the same type and index"
        ):
            listen(address)


def test_a_process_that_does_not_start_is_named_and_nobody_listens_any_more():
    here, there = free_addresses(2)
    with pytest.raises(tf.errors.UnavailableError, match=f"/job:worker/task:1 at {there} did not start"):
        Processes([("/job:worker/task:0", here), ("/job:worker/task:1", there)], 0, timeout=0.01)
    assert not answers(here)
