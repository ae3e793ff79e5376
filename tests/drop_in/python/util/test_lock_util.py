"""A lock that the threads of one group hold together."""

import threading

import pytest

from reflow.drop_in.python.util.lock_util import GroupLock


def test_other_groups_wait():
    lock, seen = GroupLock(2), []
    with lock.group(0), lock.group(0):
        other = threading.Thread(target=lambda: (lock.acquire(1), seen.append("other")))
        other.start()
        other.join(0.05)
        seen.append("first")
    other.join()
    assert seen == ["first", "other"]


def test_numbers_are_checked():
    with pytest.raises(ValueError, match="must be a positive integer"):
        GroupLock(0)
    with pytest.raises(ValueError, match="0 <= group_id < num_groups"):
        GroupLock(2).group(2)
