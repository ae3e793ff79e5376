# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.train.experimental`."""

from reflow.compat.switches.graph_rewrite import (
    disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite,
)
from reflow.compat.switches.graph_rewrite import (
    enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite,
)
from reflow.compat.train.loss_scales import DynamicLossScale as DynamicLossScale
from reflow.compat.train.loss_scales import FixedLossScale as FixedLossScale
from reflow.compat.train.loss_scales import LossScale as LossScale
from reflow.compat.train.loss_scales import MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer
from reflow.train.python_state import PythonState as PythonState
from reflow.train.sharding import MaxShardSizePolicy as MaxShardSizePolicy
from reflow.train.sharding import ShardByTaskPolicy as ShardByTaskPolicy
from reflow.train.sharding import ShardableTensor as ShardableTensor
from reflow.train.sharding import ShardingCallback as ShardingCallback
