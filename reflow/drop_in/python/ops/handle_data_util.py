"""`tensorflow.python.ops.handle_data_util`: what is known about the variable behind a handle."""

from typing import Any


def copy_handle_data(source_t: Any, target_t: Any) -> None:
    """Let one handle in a graph know what another knows. An eager handle is the variable itself, and knows all."""
    if hasattr(target_t, "_static") and hasattr(source_t, "_static"):
        target_t._static = source_t._static
