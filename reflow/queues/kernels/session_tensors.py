"""Ops on tensors that a session keeps between runs (`reflow/queues/session_tensors.py`)."""

from __future__ import annotations

import numpy as np

from reflow.ops import shape_rules as rules
from reflow.queues import session_tensors
from reflow.queues.kernels.queues import queue_op


@queue_op("GetSessionHandle", rules.scalar)
def get_session_handle(_, value):
    return np.array(session_tensors.keep(value).encode(), object)


@queue_op("GetSessionTensor", lambda f: [None])
def get_session_tensor(_, handle, dtype):
    return session_tensors.find(handle.item().decode()).astype(dtype.np_dtype, copy=False)


@queue_op("DeleteSessionTensor")
def delete_session_tensor(_, handle):
    session_tensors.forget(handle.item().decode())
    return ()
