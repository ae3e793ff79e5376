"""`tf.compat.v1.logging`: messages of the logger `tensorflow`, by level."""

from __future__ import annotations

import logging
import sys

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


@export("compat.v1.logging.log")
def log(level, msg, *args, **kwargs):
    """Log a message of a level."""
    logger.log(level, msg, *args, **kwargs)


@export("compat.v1.logging.vlog")
def vlog(level, msg, *args, **kwargs):
    """Log a message of a level, as `log` does."""
    logger.log(level, msg, *args, **kwargs)


@export("compat.v1.logging.TaskLevelStatusMessage")
def task_level_status_message(msg):
    """Log the status of a task, as an error."""
    logger.error(msg)


@export("compat.v1.logging.flush")
def flush():
    """TensorFlow has the name, and raises.

    Raises:
        NotImplementedError: always, as in TensorFlow.
    """
    raise NotImplementedError


@export("compat.v1.logging.log_if")
def log_if(level, msg, condition, *args):
    """Log a message if a condition holds."""
    if condition:
        logger.log(level, msg, *args)


def _calls_of_line() -> int:
    """How often the line that called the caller has come here before."""
    frame = sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    count = _calls.setdefault(place, 0)
    _calls[place] = count + 1
    return count


_calls: dict[tuple[str, int], int] = {}  # (file, line) -> calls so far


@export("compat.v1.logging.log_first_n")
def log_first_n(level, msg, n, *args):
    """Log a message the first `n` times that this line is reached."""
    log_if(level, msg, _calls_of_line() < n, *args)


@export("compat.v1.logging.log_every_n")
def log_every_n(level, msg, n, *args):
    """Log a message the first time that this line is reached, and every `n`th time after it."""
    log_if(level, msg, _calls_of_line() % n == 0, *args)
