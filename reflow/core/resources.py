"""Resources: the values of `resource` tensors.

A variable's memory lives in a `Cell`, one slot; its `Handle` is the value of the variable's resource tensor. Reads and
writes go through the handle's cell, eagerly and in graphs. So a distributed variable can swap the cell, and a compiled
program can replace the buffers of all its cells in one C-level loop (`reflow/compile/region.py`).
"""

from __future__ import annotations

import itertools
import re
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.tensor import HostObject
from reflow.core.types import Dims, Value

#: held around gather, dispatch and commit of a program that writes variables; never across a host node
commit_lock = threading.RLock()

_numbers = itertools.count()
_shared: weakref.WeakValueDictionary[tuple[str, str], Any] = weakref.WeakValueDictionary()
_shared_lock = threading.Lock()


def boxed(value: Any) -> np.ndarray:
    """An array as it is; any other object, such as a handle or a list, in a 0-d object array."""
    if isinstance(value, np.ndarray):
        return value
    box = np.full((), None, object)
    box[()] = value
    return box


def new_resource_name(node: str) -> str:
    """The name of an unshared resource, as messages show it: `_0_fifo_queue`."""
    return f"_{next(_numbers)}_{node}"


def check_container(container: str) -> None:
    """Reject an invalid container name.

    >>> check_container("my-models.1")
    """
    if container and not re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9./-]*", container):
        raise errors.InvalidArgumentError(None, None, f"container contains invalid characters: {container}")


def shared(container: str, name: str, make: Callable[[], Any]) -> Any:
    """The live resource of that name; a new one if there is none, or no name.

    If the resource has `check_same`, that is called to verify that it matches the request.
    """
    check_container(container)
    if not name:
        return make()
    with _shared_lock:
        found = _shared.get((container, name))
        if found is None:
            found = _shared[container, name] = make()
        elif hasattr(found, "check_same"):
            found.check_same(make())
        return found


class Cell:
    """One slot with a value: a variable's buffer, or an output of a program."""

    __slots__ = ("buf",)

    def __init__(self, buf: Value = None) -> None:
        self.buf = buf


class Piece:
    """The content of a packed variable's cell: where its values are in the flat array of `pack`.

    A pack is a cell that many small variables share (`reflow/compile/packs.py`).
    """

    __slots__ = ("pack", "start", "stop", "shape", "dtype", "_lent")

    def __init__(self, pack: Any, start: int, stop: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.pack, self.start, self.stop, self.shape, self.dtype = pack, start, stop, shape, dtype
        self._lent: Any = None

    def lend(self) -> bool:
        """Whether this is the first call since the pack's array was replaced."""
        array = self.pack.buf
        fresh = self._lent is None or self._lent() is not array
        self._lent = weakref.ref(array)
        return fresh

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The values in separate memory: the next step donates the pack's."""
        try:
            flat = np.asarray(self.pack.buf)
        except RuntimeError:  # donated: its step is about to store the new array, under the lock
            with commit_lock:
                flat = np.asarray(self.pack.buf)
        return np.array(flat[self.start : self.stop].reshape(self.shape), dtype)


class HandleFacts:
    """Facts about the variable behind a symbolic handle, carried as the handle's partial value."""

    __slots__ = ("dims", "dtype")

    def __init__(self, dims: Dims | None, dtype: dtypes.DType) -> None:
        self.dims, self.dtype = dims, dtype


class ListFacts:
    """Facts about the tensor list behind a symbolic variant, carried as its partial value.

    They are the elements' dtype, the partial element shape that the list was created with (`dims`), and, if the
    elements are lists themselves, the facts about those (`element`).

    The shape is known only in the graph that creates the list: the body of a loop may get a different list in the next
    iteration.
    """

    __slots__ = ("dtype", "element", "dims")

    def __init__(self, dtype: dtypes.DType, element: ListFacts | None = None, dims: Dims | None = None) -> None:
        self.dtype, self.element, self.dims = dtype, element, dims

    @property
    def differentiable(self) -> bool:
        return self.dtype.kind in "fc" or self.element is not None and self.element.differentiable


class LocalFacts:
    """Base of partial values of variants that hold only in the graph that creates the variant."""

    __slots__ = ()
    differentiable = False  # a function's results carry no cotangent


def lasting(facts: Any) -> Any:
    """A partial value without the facts that hold for one list only, not for that of another iteration or branch."""
    if isinstance(facts, ListFacts):
        return ListFacts(facts.dtype, facts.element) if facts.dims is not None else facts
    return None if isinstance(facts, LocalFacts) else facts


class Handle(HostObject):
    """The value of a variable's resource tensor: dtype, static shape, name and the cell with the buffer."""

    __slots__ = ("cell", "dtype", "dims", "name", "place", "__weakref__")
    tensor_dtype = dtypes.resource

    def __init__(self, dtype: dtypes.DType, dims: Dims | None, name: str, cell: Cell | None = None) -> None:
        self.dtype, self.dims, self.name = dtype, dims, name
        self.cell = Cell() if cell is None else cell
        self.place: Any = None  # the device where the variable lives (`reflow/devices/placement.py`); None: the host

    def read(self) -> np.ndarray:
        """The value as a host array, which never changes: a program does not donate memory that was read here."""
        while True:
            buffer = self.cell.buf
            if buffer is None:
                raise errors.FailedPreconditionError(
                    None, None,
                    f"Could not find variable {self.name}. This could mean that the variable has been deleted or "
                    "was never initialized.",
                )
            try:
                return np.asarray(buffer)
            except RuntimeError:  # donated: its step is about to store the new buffer, under the lock
                with commit_lock:
                    lost = self.cell.buf is buffer
                if lost:
                    raise errors.FailedPreconditionError(
                        None, None, f"The value of variable {self.name} was lost in a failed step."
                    ) from None

    def write(self, value: Value) -> None:
        self.cell.buf = value

    def __repr__(self) -> str:
        shape = (
            "<unknown>" if self.dims is None else "[" + ",".join("?" if d is None else str(d) for d in self.dims) + "]"
        )
        where = (
            'device="/job:localhost/replica:0/task:0/device:CPU:0", '
            f'container="{"Anonymous" if self.name else "localhost"}"'
        )
        facts = f'dtype and shapes : "[ DType enum: {self.dtype.enum}, Shape: {shape} ]"'
        return f'<ResourceHandle(name="{self.name}", {where}, type="tensorflow::Var", {facts})>'
