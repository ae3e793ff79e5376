# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.train`."""

from reflow.api.framework.keras_hooks import (
    is_mixed_precision_graph_rewrite_enabled as is_mixed_precision_graph_rewrite_enabled,
)
from reflow.api.framework.keras_hooks import set_using_mixed_precision_policy as set_using_mixed_precision_policy
from reflow.train.checkpoint_state import update_checkpoint_state as update_checkpoint_state
from reflow.train.moving_average import assign_moving_average as assign_moving_average
