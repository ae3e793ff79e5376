# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.logging`."""

from reflow.api.framework.v1_logging import DEBUG as DEBUG
from reflow.api.framework.v1_logging import ERROR as ERROR
from reflow.api.framework.v1_logging import FATAL as FATAL
from reflow.api.framework.v1_logging import INFO as INFO
from reflow.api.framework.v1_logging import WARN as WARN
from reflow.api.framework.v1_logging import debug as debug
from reflow.api.framework.v1_logging import error as error
from reflow.api.framework.v1_logging import fatal as fatal
from reflow.api.framework.v1_logging import get_verbosity as get_verbosity
from reflow.api.framework.v1_logging import info as info
from reflow.api.framework.v1_logging import set_verbosity as set_verbosity
from reflow.api.framework.v1_logging import warn as warn
from reflow.api.framework.v1_logging import warn as warning

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "get_verbosity", "info", "set_verbosity",
    "warn", "warning",
]
