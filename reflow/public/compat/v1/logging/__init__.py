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
from reflow.api.framework.v1_logging import flush as flush
from reflow.api.framework.v1_logging import get_verbosity as get_verbosity
from reflow.api.framework.v1_logging import info as info
from reflow.api.framework.v1_logging import log as log
from reflow.api.framework.v1_logging import log_every_n as log_every_n
from reflow.api.framework.v1_logging import log_first_n as log_first_n
from reflow.api.framework.v1_logging import log_if as log_if
from reflow.api.framework.v1_logging import set_verbosity as set_verbosity
from reflow.api.framework.v1_logging import task_level_status_message as TaskLevelStatusMessage
from reflow.api.framework.v1_logging import vlog as vlog
from reflow.api.framework.v1_logging import warn as warn

warning = warn

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "TaskLevelStatusMessage", "WARN", "debug", "error", "fatal", "flush",
    "get_verbosity", "info", "log", "log_every_n", "log_first_n", "log_if", "set_verbosity", "vlog", "warn", "warning",
]
