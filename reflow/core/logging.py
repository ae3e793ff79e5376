"""The logger named "tensorflow", through which warnings of TensorFlow programs are seen and silenced."""

from __future__ import annotations

import logging

logger = logging.getLogger("tensorflow")


def warn(message: str, *args):
    logger.warning(message, *args)


def get_logger() -> logging.Logger:
    """The logger instance.

    >>> get_logger().name
    'tensorflow'
    """
    return logger
