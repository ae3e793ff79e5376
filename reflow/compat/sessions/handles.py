"""Tensors that outlive a run: `tf.compat.v1.get_session_handle`, and reading and deleting the tensor of a handle.

A run that fetches the result of `get_session_handle` returns a `TensorHandle`. It, or its string `handle`, is fed to a
later run, in place of a tensor or to the placeholder that `get_session_tensor` creates.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.framework.core_names import placeholder
from reflow.core import dtypes
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import convert_to_tensor
from reflow.queues import session_tensors

#: the op whose fetched result becomes a `TensorHandle`
KEEPS = "GetSessionHandle"


class TensorHandle:
    """A tensor that a session keeps; it is released when this object is no longer used."""

    def __init__(self, handle: str, dtype: Any, session: Any) -> None:
        self._handle, self._dtype, self._session = handle, dtype, session
        self._forget = weakref.finalize(self, _forget_quietly, handle)

    handle = property(lambda self: self._handle)

    def get_raw_handle(self) -> str:
        """The string, which from now on is the program's to delete."""
        self._forget.detach()
        return self._handle

    def eval(self) -> np.ndarray:
        """The value."""
        return session_tensors.find(self._handle)[()]

    to_numpy_array = eval

    def delete(self) -> None:
        """Releases the value now."""
        self._forget.detach()
        session_tensors.forget(self._handle)

    def __str__(self) -> str:
        return self._handle


def _forget_quietly(handle: str) -> None:
    session_tensors._kept.pop(handle, None)


def fetched(element: Any, value: Any, session: Any) -> Any:
    """What a run gives for a handle that was fetched."""
    return TensorHandle(value.decode(), element.op.inputs[0].dtype, session)


@export("compat.v1.get_session_handle")
def get_session_handle(data: Any, name: str | None = None) -> Tensor:
    """A tensor that keeps the value of `data` when it runs; fetched, it is a handle for later runs.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     handle = session.run(tf.compat.v1.get_session_handle(tf.constant(3.0)))
    ...     holder, value = tf.compat.v1.get_session_tensor(handle.handle, tf.float32)
    ...     session.run(value * 2.0, {holder: handle.handle}).item()
    6.0
    """
    if not isinstance(data, Tensor) or isinstance(data, EagerTensor):
        raise TypeError("`data` must be of type Tensor.")
    return call(KEEPS, (data,), {}, name)


@export("compat.v1.get_session_tensor")
def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> tuple:
    """A placeholder for a handle, and the tensor behind the handle that is fed to it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     kept = session.run(tf.compat.v1.get_session_handle(tf.constant([1.0, 2.0])))
    ...     handle, value = tf.compat.v1.get_session_tensor(kept.handle, tf.float32)
    ...     session.run(value * 2.0, {handle: kept.handle}).tolist()
    [2.0, 4.0]
    """
    holder = placeholder(dtypes.string)
    return holder, call("GetSessionTensor", (holder,), {"dtype": dtypes.as_dtype(dtype)}, name)


@export("compat.v1.delete_session_tensor")
def delete_session_tensor(handle: Any, name: str | None = None) -> tuple:
    """A placeholder for a handle, and the operation that lets go of what is behind the handle that is fed to it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     kept = session.run(tf.compat.v1.get_session_handle(tf.constant([1.0, 2.0])))
    ...     handle, delete = tf.compat.v1.delete_session_tensor(kept.handle)
    ...     session.run(delete, {handle: kept.handle})
    """
    holder = placeholder(dtypes.string)
    call("DeleteSessionTensor", (convert_to_tensor(holder),), {}, name)
    return holder, holder.graph.get_operations()[-1]
