# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.train.experimental`."""

from reflow.train.python_state import PythonState as PythonState
from reflow.train.sharding import MaxShardSizePolicy as MaxShardSizePolicy
from reflow.train.sharding import ShardByTaskPolicy as ShardByTaskPolicy
from reflow.train.sharding import ShardableTensor as ShardableTensor
from reflow.train.sharding import ShardingCallback as ShardingCallback
