"""`tf.compat.v1.logging`: messages of the logger `tensorflow`, by level."""

from __future__ import annotations

import logging

from reflow.api.export import export, export_value
from reflow.core.logging import logger

DEBUG = export_value(logging.DEBUG, "compat.v1.logging.DEBUG")
INFO = export_value(logging.INFO, "compat.v1.logging.INFO")
WARN = export_value(logging.WARNING, "compat.v1.logging.WARN")
ERROR = export_value(logging.ERROR, "compat.v1.logging.ERROR")
FATAL = export_value(logging.CRITICAL, "compat.v1.logging.FATAL")


@export("compat.v1.logging.debug")
def debug(msg, *args, **kwargs):
    """Log a message of level DEBUG."""
    logger.debug(msg, *args, **kwargs)


@export("compat.v1.logging.info")
def info(msg, *args, **kwargs):
    """Log a message of level INFO."""
    logger.info(msg, *args, **kwargs)


@export("compat.v1.logging.warn", "compat.v1.logging.warning")
def warn(msg, *args, **kwargs):
    """Log a message of level WARN."""
    logger.warning(msg, *args, **kwargs)


@export("compat.v1.logging.error")
def error(msg, *args, **kwargs):
    """Log a message of level ERROR."""
    logger.error(msg, *args, **kwargs)


@export("compat.v1.logging.fatal")
def fatal(msg, *args, **kwargs):
    """Log a message of level FATAL."""
    logger.critical(msg, *args, **kwargs)


@export("compat.v1.logging.set_verbosity")
def set_verbosity(v):
    """Log messages of this level and above."""
    logger.setLevel(v)


@export("compat.v1.logging.get_verbosity")
def get_verbosity() -> int:
    """The level from which messages are logged."""
    return logger.getEffectiveLevel()
