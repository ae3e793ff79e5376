"""`tf.compat.v1.logging`: messages of the `tensorflow` logger, by level."""

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


def _logging(level: str, *names: str, example: str):
    def function(msg, *args, **kwargs):
        logger.log(getattr(logging, level), msg, *args, **kwargs)

    doc = f"""Logs a message of level {level}.

Args:
  msg: The message, in which `%` puts the arguments.
  *args: Its arguments.
  **kwargs: Keyword arguments of `logging.Logger.log`."""
    return export_function(function, *names, doc=doc, example=example)


debug = _logging("DEBUG", "compat.v1.logging.debug", example="""
    >>> tf.compat.v1.logging.debug("batch of %d rows", 32)      # shown once the level is DEBUG
""")
info = _logging("INFO", "compat.v1.logging.info", example="""
    >>> tf.compat.v1.logging.info("step %d, loss %.2f", 10, 0.25)      # shown once the level is INFO
""")
warn = _logging("WARNING", "compat.v1.logging.warn", "compat.v1.logging.warning", example="""
    >>> tf.compat.v1.logging.warn("no file %s", "weights.h5")
""")
error = _logging("ERROR", "compat.v1.logging.error", example="""
    >>> tf.compat.v1.logging.error("step %d failed", 10)
""")
fatal = _logging("CRITICAL", "compat.v1.logging.fatal", example="""
    >>> tf.compat.v1.logging.fatal("nothing works")      # the program goes on
""")


@export("compat.v1.logging.set_verbosity")
def set_verbosity(v):
    """Logs messages of this level and above only.

    Args:
      v: A level, such as `tf.compat.v1.logging.INFO`.

    >>> before = tf.compat.v1.logging.get_verbosity()
    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.INFO)
    >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.INFO
    True
    >>> tf.compat.v1.logging.set_verbosity(before)
    """
    logger.setLevel(v)


@export("compat.v1.logging.get_verbosity")
def get_verbosity() -> int:
    """Returns the level from which messages are logged.

    Returns:
      An int.

    >>> tf.compat.v1.logging.get_verbosity() in (
    ...     tf.compat.v1.logging.INFO, tf.compat.v1.logging.WARN, tf.compat.v1.logging.ERROR
    ... )
    True
    """
    return logger.getEffectiveLevel()


@export("compat.v1.logging.log")
def log(level, msg, *args, **kwargs):
    """Logs a message of a level.

    Args:
      level: The level.
      msg: The message, in which `%` puts the arguments.
      *args: Its arguments.
      **kwargs: Keyword arguments of `logging.Logger.log`.

    >>> tf.compat.v1.logging.log(tf.compat.v1.logging.WARN, "%d of %d done", 1, 3)
    """
    logger.log(level, msg, *args, **kwargs)


@export("compat.v1.logging.vlog")
def vlog(level, msg, *args, **kwargs):
    """Logs a message of a level, as `log` does.

    Args:
      level: The level.
      msg: The message, in which `%` puts the arguments.
      *args: Its arguments.
      **kwargs: Keyword arguments of `logging.Logger.log`.

    >>> tf.compat.v1.logging.vlog(tf.compat.v1.logging.DEBUG, "a detail")
    """
    logger.log(level, msg, *args, **kwargs)


@export("compat.v1.logging.TaskLevelStatusMessage")
def task_level_status_message(msg):
    """Logs the status of a task, as an error.

    Args:
      msg: The message.

    >>> tf.compat.v1.logging.TaskLevelStatusMessage("waiting for input")
    """
    logger.error(msg)


@export("compat.v1.logging.flush")
def flush():
    """Raises an error: TensorFlow has the name, and no more.

    Raises:
      NotImplementedError: Always, as in TensorFlow.

    >>> tf.compat.v1.logging.flush()
    Traceback (most recent call last):
        ...
    NotImplementedError
    """
    raise NotImplementedError


@export("compat.v1.logging.log_if")
def log_if(level, msg, condition, *args):
    """Logs a message if a condition holds.

    Args:
      level: The level.
      msg: The message, in which `%` puts the arguments.
      condition: Whether to log it.
      *args: Its arguments.

    >>> loss = 0.5
    >>> tf.compat.v1.logging.log_if(tf.compat.v1.logging.WARN, "the loss is %f", loss > 10.0, loss)      # says nothing
    """
    if condition:
        logger.log(level, msg, *args)


def _calls_of_line() -> int:
    """How often the user's line that led here has been counted before."""
    frame = sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    count = _calls.setdefault(place, 0)
    _calls[place] = count + 1
    return count


_calls: dict[tuple[str, int], int] = {}  # (file, line) -> calls so far


@export("compat.v1.logging.log_first_n")
def log_first_n(level, msg, n, *args):
    """Logs a message the first `n` times that this line is reached.

    Args:
      level: The level.
      msg: The message, in which `%` puts the arguments.
      n: How often.
      *args: Its arguments.

    >>> for step in range(100):
    ...     tf.compat.v1.logging.log_first_n(tf.compat.v1.logging.WARN, "step %d", 2, step)      # steps 0 and 1
    """
    log_if(level, msg, _calls_of_line() < n, *args)


@export("compat.v1.logging.log_every_n")
def log_every_n(level, msg, n, *args):
    """Logs a message the first time that this line is reached, and every `n`th time after it.

    Args:
      level: The level.
      msg: The message, in which `%` puts the arguments.
      n: How many times make one message.
      *args: Its arguments.

    >>> for step in range(100):
    ...     tf.compat.v1.logging.log_every_n(tf.compat.v1.logging.WARN, "step %d", 50, step)      # steps 0 and 50
    """
    log_if(level, msg, _calls_of_line() % n == 0, *args)
