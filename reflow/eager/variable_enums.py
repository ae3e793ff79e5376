"""How the copies of a distributed variable are kept equal, and how the replicas' writes are combined."""

from __future__ import annotations

import enum


class VariableSynchronization(enum.Enum):
    """When a distributed variable's copies are synchronized: `AUTO`, `NONE`, `ON_WRITE` or `ON_READ`.

    Args:
      value: The number of a member, from 0 to 3.

    >>> tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ).synchronization.name
    'ON_READ'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the writes of several replicas are combined: `NONE`, `SUM`, `MEAN` or `ONLY_FIRST_REPLICA`.

    Args:
      value: The number of a member, from 0 to 3.

    >>> [kind.name for kind in tf.VariableAggregation]
    ['NONE', 'SUM', 'MEAN', 'ONLY_FIRST_REPLICA']
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
