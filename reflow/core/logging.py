"""The logger named "tensorflow", which TensorFlow programs use to show or silence warnings."""

from __future__ import annotations

import logging
import sys
from typing import Any

logger = logging.getLogger("tensorflow")


def _show_messages() -> None:
    """Print messages with level and name, as TensorFlow does, unless the program has set up logging before."""
    if logging.getLogger().handlers or logger.handlers:
        return
    interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive)
    if interactive:
        logger.setLevel(logging.INFO)
    handler = logging.StreamHandler(sys.stdout if interactive else sys.stderr)
    handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    logger.addHandler(handler)


_show_messages()


def _log(level: str, message: str, *args: Any) -> None:
    """Once a program has imported TensorFlow's private logging module, messages go through it.

    Tests replace its functions to see them.
    """
    private = sys.modules.get("tensorflow.python.platform.tf_logging")
    chosen = vars(private).get(level) if private is not None else None
    (chosen or getattr(logger, "warning" if level == "warn" else level))(message, *args)


def warn_of_summaries(message: str, *args: Any) -> None:
    """Log a warning by the function that TensorFlow's summaries call, `tf_logging.warn`."""
    _log("warn", message, *args)


def warn(message: str, *args: Any) -> None:
    """Log a warning."""
    _log("warning", message, *args)


def error(message: str, *args: Any) -> None:
    """Log an error that does not end the program."""
    _log("error", message, *args)


def get_logger() -> logging.Logger:
    """Returns the logger of TensorFlow programs.

    Returns:
      The `logging.Logger` named "tensorflow".

    >>> get_logger().name
    'tensorflow'
    """
    return logger
