"""Resources: what a `resource` tensor holds.

A variable's memory lives in a `Cell`, one slot; its `Handle` is the value of the variable's resource tensor. Reading and
writing go through the handle's cell, in eager code and graphs alike, so a distributed variable can swap the cell, and
a compiled program can replace all its cells' buffers in one C-level loop (`reflow/compile/region.py`).
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
    """An array; an object of another kind, such as a handle or a list, becomes an array without axes that holds it."""
    if isinstance(value, np.ndarray):
        return value
    box = np.full((), None, object)
    box[()] = value
    return box


def new_resource_name(node: str) -> str:
    """The name of a resource that nobody shares, as messages show it: `_0_fifo_queue`."""
    return f"_{next(_numbers)}_{node}"


def check_container(container: str) -> None:
    """Refuse what is no name of a container.

    >>> check_container("my-models.1")
    """
    if container and not re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9./-]*", container):
        raise errors.InvalidArgumentError(None, None, f"container contains invalid characters: {container}")


def shared(container: str, name: str, make: Callable[[], Any]) -> Any:
    """The resource of that name, as long as somebody holds it; a new one if there is none, or no name. A resource that has `check_same`
    is asked whether it is what was meant."""
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
    """One slot with a value: a variable's buffer, or where a program's other results go."""

    __slots__ = ("buf",)

    def __init__(self, buf: Value = None) -> None:
        self.buf = buf


class Piece:
    """What the cell of a packed variable holds: where its numbers are in the flat array of `pack`, a cell that many small variables share
    (`reflow/compile/packs.py`)."""

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
        """The numbers in memory of their own: the pack's is donated by the next step."""
        try:
            flat = np.asarray(self.pack.buf)
        except RuntimeError:  # donated: its step is about to store the new one, under the lock
            with commit_lock:
                flat = np.asarray(self.pack.buf)
        return np.array(flat[self.start : self.stop].reshape(self.shape), dtype)


class HandleFacts:
    """What is known about the variable behind a symbolic handle: carried as the handle's partial value."""

    __slots__ = ("dims", "dtype")

    def __init__(self, dims: Dims | None, dtype: dtypes.DType) -> None:
        self.dims, self.dtype = dims, dtype


class ListFacts:
    """What is known about the tensor list behind a symbolic variant, carried as its partial value: the elements' dtype,
    their partial shape as the list was made with (`dims`), and if they are lists themselves (`element`), what is known about those.

    The shape is known only in the graph that makes the list: the body of a loop may get another list the next time.
    """

    __slots__ = ("dtype", "element", "dims")

    def __init__(self, dtype: dtypes.DType, element: ListFacts | None = None, dims: Dims | None = None) -> None:
        self.dtype, self.element, self.dims = dtype, element, dims

    @property
    def differentiable(self) -> bool:
        return self.dtype.kind in "fc" or self.element is not None and self.element.differentiable


class LocalFacts:
    """The base of partial values of variants that hold in the graph that makes them, and are not known elsewhere."""

    __slots__ = ()
    differentiable = False  # no cotangent passes through a function's results


def lasting(facts: Any) -> Any:
    """A partial value without what holds for one list only: not for the list of another iteration, or of another branch."""
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
        shape = "<unknown>" if self.dims is None else "[" + ",".join("?" if d is None else str(d) for d in self.dims) + "]"
        where = f'device="/job:localhost/replica:0/task:0/device:CPU:0", container="{"Anonymous" if self.name else "localhost"}"'
        facts = f'dtype and shapes : "[ DType enum: {self.dtype.enum}, Shape: {shape} ]"'
        return f'<ResourceHandle(name="{self.name}", {where}, type="tensorflow::Var", {facts})>'
