"""`tensorflow.python.ops.variables`: variables in parts."""

from reflow.compat.partitions.variables import PartitionedVariable

__all__ = ["PartitionedVariable"]
