"""`tensorflow.python.autograph.core.ag_ctx`: whether conversion is on, for a `with` block."""

import contextlib

from reflow.api.autograph.status import ControlStatusCtx as ControlStatusCtx
from reflow.api.autograph.status import Status as Status
from reflow.api.autograph.status import control_status_ctx as control_status_ctx


class NullCtx(contextlib.nullcontext):
    """A `with` block that changes nothing."""
