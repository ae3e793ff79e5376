"""The logger named "tensorflow", through which warnings of TensorFlow programs are seen and silenced."""

from __future__ import annotations

import logging
from typing import Any

logger = logging.getLogger("tensorflow")


def warn(message: str, *args: Any) -> None:
    logger.warning(message, *args)


def get_logger() -> logging.Logger:
    """The logger instance.

    >>> get_logger().name
    'tensorflow'
    """
    return logger
