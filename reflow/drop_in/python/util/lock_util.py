"""`tensorflow.python.util.lock_util`: a lock that a whole group of threads may hold at once."""

import contextlib
import threading


class GroupLock:
    """Threads of one group hold it together; those of all other groups wait until the last of them has left."""

    def __init__(self, num_groups=2):
        if num_groups < 1:
            raise ValueError(f"Argument `num_groups` must be a positive integer. Received: num_groups={num_groups}")
        self._group_member_counts = [0] * num_groups
        self._changed = threading.Condition()

    def _check(self, group_id):
        if group_id not in range(len(self._group_member_counts)):
            raise ValueError(
                "Argument `group_id` should verify `0 <= group_id < num_groups` "
                f"(with `num_groups={len(self._group_member_counts)}`). Received: group_id={group_id}"
            )

    def acquire(self, group_id):
        """Enter as a thread of a group."""
        self._check(group_id)
        with self._changed:
            self._changed.wait_for(lambda: sum(self._group_member_counts) == self._group_member_counts[group_id])
            self._group_member_counts[group_id] += 1

    def release(self, group_id):
        """Leave again."""
        self._check(group_id)
        with self._changed:
            self._group_member_counts[group_id] -= 1
            self._changed.notify_all()

    def group(self, group_id):
        """A context in which the group holds the lock."""
        self._check(group_id)
        return self._held(group_id)

    @contextlib.contextmanager
    def _held(self, group_id):
        self.acquire(group_id)
        try:
            yield
        finally:
            self.release(group_id)
