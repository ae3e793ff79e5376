"""The logger named "tensorflow", through which warnings of TensorFlow programs are seen and silenced."""

from __future__ import annotations

import logging
import sys
from typing import Any

logger = logging.getLogger("tensorflow")


def warn(message: str, *args: Any) -> None:
    """Log a warning. It goes through TensorFlow's private module of logging once a program has it: tests put another function there to see
    what is said."""
    private = sys.modules.get("tensorflow.python.platform.tf_logging")
    chosen = vars(private).get("warning") if private is not None else None
    (chosen or logger.warning)(message, *args)


def get_logger() -> logging.Logger:
    """The logger instance.

    >>> get_logger().name
    'tensorflow'
    """
    return logger
