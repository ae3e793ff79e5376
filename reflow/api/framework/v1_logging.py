"""`tf.compat.v1.logging`: messages of the logger `tensorflow`, by level."""

from __future__ import annotations

import logging

from reflow.api.export import export, export_function, export_value
from reflow.core.logging import logger

DEBUG = export_value(logging.DEBUG, "compat.v1.logging.DEBUG")
INFO = export_value(logging.INFO, "compat.v1.logging.INFO")
WARN = export_value(logging.WARNING, "compat.v1.logging.WARN")
ERROR = export_value(logging.ERROR, "compat.v1.logging.ERROR")
FATAL = export_value(logging.CRITICAL, "compat.v1.logging.FATAL")


def _logging(level: str, *names: str):
    def function(msg, *args, **kwargs):
        logger.log(getattr(logging, level), msg, *args, **kwargs)

    return export_function(function, *names, doc=f"Log a message of level {level}.")


debug = _logging("DEBUG", "compat.v1.logging.debug")
info = _logging("INFO", "compat.v1.logging.info")
warn = _logging("WARNING", "compat.v1.logging.warn", "compat.v1.logging.warning")
error = _logging("ERROR", "compat.v1.logging.error")
fatal = _logging("CRITICAL", "compat.v1.logging.fatal")


@export("compat.v1.logging.set_verbosity")
def set_verbosity(v):
    """Log messages of this level and above."""
    logger.setLevel(v)


@export("compat.v1.logging.get_verbosity")
def get_verbosity() -> int:
    """The level from which messages are logged."""
    return logger.getEffectiveLevel()
