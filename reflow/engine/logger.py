"""The log of builders and runtimes."""

from __future__ import annotations

import enum
import sys


class Severity(enum.IntEnum):
    """How much a message matters; smaller numbers matter more."""

    INTERNAL_ERROR = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    VERBOSE = 4


_Severity = Severity


class ILogger:
    """Takes messages: a user's class overrides `log`."""

    Severity = _Severity
    INTERNAL_ERROR, ERROR, WARNING, INFO, VERBOSE = _Severity

    def __init__(self) -> None:
        pass

    def log(self, severity: _Severity, msg: str) -> None:
        """Take a message."""
        raise NotImplementedError(f"{type(self).__name__} must define log(severity, msg)")


class Logger(ILogger):
    """Prints messages of at least `min_severity` to the standard error output.

    >>> tf.engine.Logger(tf.engine.Logger.ERROR).min_severity.name
    'ERROR'
    """

    def __init__(self, min_severity: _Severity = _Severity.WARNING) -> None:
        super().__init__()
        self.min_severity = min_severity

    def log(self, severity: _Severity, msg: str) -> None:
        if severity <= self.min_severity:
            print(f"[Reflow engine] [{severity.name[0]}] {msg}", file=sys.stderr)
