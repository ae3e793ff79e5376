"""How much work it may be to find the number of a dataset's elements: the proto `CardinalityOptions`, an attribute of
`DatasetCardinality`.

`CARDINALITY_COMPUTE_MODERATE` lets a `flat_map` look at the dataset of each element.
"""

from __future__ import annotations

import enum

from reflow.io import varint


class ComputeLevel(enum.IntEnum):
    CARDINALITY_COMPUTE_UNSPECIFIED = 0
    CARDINALITY_COMPUTE_LOW = 1
    CARDINALITY_COMPUTE_MODERATE = 2


class CardinalityOptions:
    """The message, with the one field that it has."""

    ComputeLevel = ComputeLevel

    def __init__(self, compute_level: int | str = 0):
        self.compute_level = (
            ComputeLevel[compute_level] if isinstance(compute_level, str) else ComputeLevel(compute_level)
        )

    def SerializeToString(self) -> bytes:
        return b"\x08" + varint.encode(self.compute_level) if self.compute_level else b""

    @classmethod
    def FromString(cls, data: bytes) -> CardinalityOptions:
        """The message behind bytes; ValueError if there is none."""
        return cls(dict(varint.fields(data)).get(1, 0))
