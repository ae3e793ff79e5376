"""The thread's dynamic context: the backend, the graph under construction, the tapes, the device, the name scope.

`state.graph is None` means eager. All code reads this object; there are no other global mode flags. `graph`, `tapes`
and `backend` decide whether an op runs or is recorded, and `target` and `direct` are derived from them. So set them
only with `swapped(...)` and `state.put(...)`.
"""

from __future__ import annotations

import contextvars
import enum
import itertools
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core.scope import Scope, Swapped, Together
from reflow.core.types import Tape

if TYPE_CHECKING:
    from reflow.core.backend import Backend

#: never-reused ids of tensors, handles and graphs: `id()` may come again once an object is gone
new_id = itertools.count(1).__next__


class Variant(enum.Enum):
    """Values of `State.variant` that do not stand for a replica."""

    EAGERLY = "functions run as Python: tf.config.run_functions_eagerly"
    SAVING = "a SavedModel is written: variables of a strategy are those of one device"


class State(threading.local):
    """The per-thread stack tops. Class attributes are the defaults of a new thread."""

    graph: Any = None  # the innermost `Graph` under construction, or None
    default_graph: Any = None  # of the process: the graph in which the user's threads start, in a version 1 program
    tapes: tuple[Tape, ...] = ()  # active tapes and accumulators, outermost first
    backend: Backend = None  # type: ignore[assignment] # where ops run; on the class the process', on a thread its own
    #: The object that takes ops: the backend, or `Backend.building(graph)` while a graph is built. None until first
    #: used (`settle`).
    target: Any = None
    #: `state.direct(kernel, *arrays)` runs a kernel directly. It is set only while nothing records ops (no graph, no
    #: tape) and they run on the host; otherwise None. Reading a thread-local attribute takes 40 ns, and eager code
    #: reads this one instead of three.
    direct: Any = None
    device = ""  # the innermost device scope
    place: Any = None  # the place where the running function was called, if there is a choice of devices
    name_scope = ""  # eager name scope, ends in "/" if not empty
    replica_context: Any = None  # installed by tf.distribute
    strategy: Any = None
    updating: int | None = None  # the replica whose copies of variables `StrategyExtended.update` is writing
    interpreting = False  # inside a region that is interpreted: functions it calls are interpreted too
    #: What function traces depend on besides their arguments: None by default, the context in a replica, or a
    #: `Variant`.
    variant: Any = None
    session: Any = None  # what runs the step: something with `cancelled`
    deadline: float | None = None  # when the waits of this step end (`time.monotonic`)
    step: Any = None  # the running function, if its ops wait for each other (`reflow/devices/step.py`)
    variable_creators: tuple[Callable[..., Any], ...] = ()  # stack of variable creator functions
    offered: Any = None  # memory for the result of the running function (`ops/result_memory.py`)
    native: Any = False  # lowering a program that may call C++ kernels (`reflow/ops/xp/xla/native.py`)
    accelerated = False  # lowering a program for an accelerator whose matrix units take 16-bit floats

    def __init__(self) -> None:
        # `state.run(kernel, ...)` runs kernels in a separate context with NumPy's floating-point warnings off. That is
        # free, where `with np.errstate` costs 3 to 4.5 µs per op. The user's error state is unaffected.
        self.quiet = contextvars.Context()
        self.quiet.run(np.seterr, all="ignore")
        self.run = self.quiet.run
        self.graph, self.tapes = State.default_graph if _is_of_the_user(threading.current_thread()) else None, ()
        self.thread = _Thread(self.__dict__)
        with _lock:
            _threads.add(self.thread)
        if State.backend is not None:
            self.settle()

    @property
    def own_backend(self) -> Backend | None:
        """The backend of this thread alone, if it has one."""
        return self.__dict__.get("backend")

    def surroundings(self) -> dict[str, Any]:
        """The attributes that a thread working for this one must `put`."""
        return {name: value for name, value in self.__dict__.items() if name not in _OF_THE_THREAD}

    def put(self, values: dict[str, Any]) -> None:
        """Set attributes of this thread.

        `backend=None` removes its own backend, so the process' backend is used again.
        """
        here = self.__dict__
        here.update(values)
        if here.get("backend", self) is None:
            del here["backend"]
        self.settle()

    def settle(self) -> Any:
        """Determine what takes ops now; returns it."""
        here = self.__dict__
        graph = here["graph"]
        while True:
            default = State.backend
            backend = here.get("backend", default)
            here["direct"] = here["run"] if graph is None and not here["tapes"] and backend.direct else None
            target = here["target"] = backend if graph is None else backend.building(graph)
            if State.backend is default:  # else another thread has just set it
                return target


def _is_of_the_user(thread: threading.Thread) -> bool:
    """Whether a thread runs user code: not a thread of Reflow or JAX, not in a pool, and started by Python."""
    function = getattr(thread, "_target", None)
    module = (type(thread) if function is None else function).__module__ or ""
    return (
        not isinstance(thread, threading._DummyThread)
        and module.partition(".")[0] not in ("reflow", "jax", "concurrent", "multiprocessing")
    )


#: attributes that one thread cannot inherit from another
_OF_THE_THREAD = frozenset({"quiet", "run", "thread", "direct", "target"})


class _Thread:
    """The attributes of one thread's state, in a place where other threads can find them."""

    __slots__ = ("values", "__weakref__")

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values


_threads: weakref.WeakSet[_Thread] = weakref.WeakSet()
_lock = threading.RLock()
state = State()


def use_backend(backend: Backend) -> None:
    """Set the backend of all threads that do not have their own."""
    State.backend = backend
    with _lock:
        threads = list(_threads)
    for thread in threads:
        thread.values.update(target=None, direct=None)  # each thread derives them again
    state.settle()


class swapped(Swapped):
    """Set attributes of the state for a `with` block; `returns` names the one that `as` binds.

    >>> with swapped("device", device="/CPU:0") as device:
    ...     device
    '/CPU:0'
    """

    def __init__(self, returns: str | None = None, /, **values: Any) -> None:
        super().__init__(state, values, returns)

    def _prepare(self) -> Any:
        new, old = super()._prepare()
        if "backend" in old:
            old["backend"] = state.own_backend
        return new, old

    def _set(self, values: dict[str, Any]) -> None:
        state.put(values)


def quietly(kernel: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run a kernel without NumPy's warnings, also from a signal handler or finalizer while another kernel runs here."""
    try:
        return state.run(kernel, *args, **kwargs)
    except RuntimeError as error:
        run = entered_again(error)
    return run(kernel, *args, **kwargs)


def entered_again(error: RuntimeError) -> Callable[..., Any]:
    """Another `state.run`, if `error` says that a kernel is already running in this thread; otherwise re-raises
    `error`.

    For code that calls `state.run` directly because `quietly` is too slow. `error` was raised by that very call, before
    any kernel started.
    """
    traceback = error.__traceback__
    if traceback is None or traceback.tb_next is not None or repr(state.quiet) not in str(error):
        raise error
    return state.quiet.copy().run


def executing_eagerly() -> bool:
    """Says whether ops run now, rather than being added to a graph.

    Returns:
      A Python bool.

    >>> executing_eagerly()
    True
    """
    return state.graph is None


def init_scope() -> Scope:
    """Leaves all functions under construction and pauses the tapes, for a `with` block.

    The body runs once, now, and not in the graph; variable creation uses this. Names still begin with the current
    scope.

    Returns:
      A context manager.

    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         return tf.executing_eagerly()
    >>> f().numpy().item()
    True
    """
    inner, outer = None, state.graph
    while outer is not None and outer.left_by_init_scope:
        inner, outer = outer, outer.parent
    if outer is None and inner is not None:
        device = state.device or inner.device_outside
        return swapped(graph=None, tapes=(), name_scope=state.graph.current_scope, device=device)
    if outer is None:
        return swapped(graph=None, tapes=())
    values = {"graph": outer, "tapes": (), "device": state.device or outer.device_now}
    return _WithoutWaits(outer, values) if outer.control_stack else swapped(**values)


def outside_all_scopes() -> Scope:
    """Leaves the scopes and tapes of this thread, for a `with` block: for user code that TensorFlow calls on another
    thread, where none of them is open."""
    return swapped(
        graph=None, tapes=(), device="", name_scope="", replica_context=None, strategy=None, updating=None,
        variant=None, variable_creators=(),
    )


class _WithoutWaits(Together):
    """`init_scope` inside open `control_dependencies` blocks: nodes created in it have no control inputs."""

    def __init__(self, graph: Any, values: dict[str, Any]) -> None:
        super().__init__()
        self._graph, self._values = graph, values

    def _scopes(self) -> list[Scope]:
        return [swapped(**self._values), self._graph.control_dependencies(None)]
