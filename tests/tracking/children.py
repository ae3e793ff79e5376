"""What tests of tracking share."""

import collections

Pair = collections.namedtuple("Pair", "left right")


def names(obj) -> list[str]:
    return list(obj._trackable_children())
