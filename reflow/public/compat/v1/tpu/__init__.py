# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.tpu`."""

from reflow.compat.distribute.tpu import CrossShardOptimizer as CrossShardOptimizer
from reflow.compat.distribute.tpu import PaddingSpec as PaddingSpec
from reflow.compat.distribute.tpu import batch_parallel as batch_parallel
from reflow.compat.distribute.tpu import bfloat16_scope as bfloat16_scope
from reflow.compat.distribute.tpu import core as core
from reflow.compat.distribute.tpu import cross_replica_sum as cross_replica_sum
from reflow.compat.distribute.tpu import initialize_system as initialize_system
from reflow.compat.distribute.tpu import outside_compilation as outside_compilation
from reflow.compat.distribute.tpu import replicate as replicate
from reflow.compat.distribute.tpu import rewrite as rewrite
from reflow.compat.distribute.tpu import shard as shard
from reflow.compat.distribute.tpu import shutdown_system as shutdown_system
from reflow.distribute.tpu.topology import XLAOptions as XLAOptions
from reflow.public.compat.v1.tpu import experimental as experimental
