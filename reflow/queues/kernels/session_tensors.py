"""Ops on tensors that a session keeps between runs (`reflow/queues/session_tensors.py`)."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.core.context import state
from reflow.ops import shape_rules as rules
from reflow.queues import session_tensors
from reflow.queues.kernels.queues import queue_op


def _require_session(name: str) -> None:
    """Handles belong to sessions: eager code and functions outside of them have none."""
    if state.session is None:
        raise errors.FailedPreconditionError(None, None, f"{name} called on null session state")


@queue_op("GetSessionHandle", rules.scalar, by_session=True)
def get_session_handle(_, value):
    _require_session("GetSessionHandle")
    return np.array(session_tensors.keep(value).encode(), object)


@queue_op("GetSessionTensor", lambda f: [None], by_session=True)
def get_session_tensor(_, handle, dtype):
    _require_session("GetSessionTensor")
    return session_tensors.find(handle.item().decode()).astype(dtype.np_dtype, copy=False)


@queue_op("DeleteSessionTensor", by_session=True)
def delete_session_tensor(_, handle):
    _require_session("DeleteSessionTensor")
    session_tensors.forget(handle.item().decode())
    return ()
