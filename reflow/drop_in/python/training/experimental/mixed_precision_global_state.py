"""`tensorflow.python.training.experimental.mixed_precision_global_state`: which way of half precision is in use."""

from __future__ import annotations

from reflow.api.framework.keras_hooks import registered


def set_mixed_precision_graph_rewrite_enabled(enabled: bool) -> None:
    """Note whether graphs are asked for in half precision."""
    registered["graph_rewrite"] = enabled


def non_mixed_precision_session_created() -> bool:
    """Whether there was a session while they were not."""
    return registered.get("session_without_rewrite", False)


def set_non_mixed_precision_session_created(created: bool) -> None:
    """Note whether there was such a session."""
    registered["session_without_rewrite"] = created


def is_using_mixed_precision_policy() -> bool:
    """Whether a policy of Keras computes in half precision."""
    return registered.get("mixed_precision_policy", False)
