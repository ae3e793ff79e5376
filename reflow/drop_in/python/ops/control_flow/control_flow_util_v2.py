"""`tensorflow.python.ops.control_flow_util_v2`.

What functions of branches and loops are called, and where code runs.
"""

from __future__ import annotations

from reflow.core.context import new_id
from reflow.drop_in.python.ops.control_flow.control_flow_util import in_defun as in_defun


def unique_fn_name(scope: str, name: str) -> str:
    """A name for a function that no other has."""
    return f"{scope}{name}_{new_id()}".replace("/", "_")


def unique_grad_fn_name(forward_name: str) -> str:
    """A name for the function of a gradient that no other has."""
    return f"{forward_name}_grad_{new_id()}"
