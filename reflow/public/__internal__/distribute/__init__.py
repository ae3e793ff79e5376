# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.distribute`."""

from reflow.distribute.strategy import get_replica_context as get_replica_context
from reflow.distribute.strategy import strategy_supports_no_merge_call as strategy_supports_no_merge_call
from reflow.distribute.strategy import variable_sync_on_read_context as variable_sync_on_read_context
from reflow.public.__internal__.distribute import interim as interim

__all__ = [
    "get_replica_context", "interim", "strategy_supports_no_merge_call", "variable_sync_on_read_context",
]
