"""`import horovod.tensorflow as hvd`."""

# ruff: noqa: F401 - names that programs import from here

from reflow.horovod.names import *  # noqa: F403
from reflow.horovod.training import (
    DistributedGradientTape,
    DistributedOptimizer,
)
