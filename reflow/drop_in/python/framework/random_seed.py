"""`tensorflow.python.framework.random_seed`: the pair of seeds of a random op."""

from reflow.ops.random_state import get_seed as get_seed

DEFAULT_GRAPH_SEED = 87654321
