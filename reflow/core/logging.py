"""The logger named "tensorflow", which TensorFlow programs use to show or silence warnings."""

from __future__ import annotations

import logging
import sys
from typing import Any

logger = logging.getLogger("tensorflow")


def warn(message: str, *args: Any) -> None:
    """Log a warning.

    Once a program has imported TensorFlow's private logging module, the warning goes through it: tests replace its
    functions to see the messages.
    """
    private = sys.modules.get("tensorflow.python.platform.tf_logging")
    chosen = vars(private).get("warning") if private is not None else None
    (chosen or logger.warning)(message, *args)


def get_logger() -> logging.Logger:
    """The logger instance.

    >>> get_logger().name
    'tensorflow'
    """
    return logger
