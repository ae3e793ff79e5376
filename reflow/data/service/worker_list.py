"""The fixed list of workers of a dispatcher (`worker_addresses`): which place in it a worker has.

Policies that divide a dataset once and for all (FILE, DATA, FILE_OR_DATA, HINT) give each worker the part of its place.
An address is "host" or "host:port"; without a port, or with "%port%", a worker at any port of this host takes the
place. It keeps it: who is restarted must be at the same address again.
"""

from __future__ import annotations

from collections.abc import Sequence

from reflow.core import errors

_ANY = ("", "%port%")


class WorkerList:
    """Places for workers; none if no list was given, and any worker is welcome."""

    def __init__(self, addresses: Sequence[str] | None):
        self.addresses = list(addresses or ())
        self.taken: dict[int, str] = {}  # place -> the worker that has it

    def __len__(self) -> int:
        return len(self.addresses)

    def admit(self, worker: str) -> None:
        """Give a worker a place, unless it has one. NotFoundError if there is none for it."""
        if not self.addresses or worker in self.taken.values():
            return
        for place, address in enumerate(self.addresses):
            if place not in self.taken and _fits(worker, address):
                self.taken[place] = worker
                return
        raise errors.NotFoundError(
            None, None,
            f"Failed to assign an index for worker {worker}. Configured workers list: [{', '.join(self.addresses)}]. "
            "The worker's address is not configured, or other workers are already running at the configured host. If "
            "your worker has restarted, make sure it runs at the same address and port."
        )

    def place_of(self, worker: str) -> int:
        """The place of a worker. NotFoundError if it has none."""
        for place, address in self.taken.items():
            if address == worker:
                return place
        raise errors.NotFoundError(
            None, None,
            f"Failed to shard dataset in tf.data service: Worker {worker} is not in the workers list. Got workers list "
            f"{', '.join(self.addresses)}."
        )


def _fits(worker: str, address: str) -> bool:
    host, port = _split(address)
    worker_host, worker_port = _split(worker)
    return host == worker_host and (port in _ANY or port == worker_port)


def _split(address: str) -> tuple[str, str]:
    host, colon, port = address.rpartition(":")
    return (host, port) if colon else (port, "")
