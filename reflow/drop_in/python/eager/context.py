"""`tensorflow.python.eager.context`: modes, devices and executors of the eager runtime, as functions."""

import contextlib
import itertools

from reflow.api.framework.internal import Context as Context
from reflow.api.framework.internal import ContextSwitch as ContextSwitch
from reflow.api.framework.internal import context
from reflow.compat.behavior import get_default_graph
from reflow.core.context import state
from reflow.devices import settings as devices
from reflow.drop_in.python.eager import executor
from reflow.ops import random_state

GRAPH_MODE, EAGER_MODE = 0, 1
SYNC, ASYNC = 0, 1
DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_SILENT_FOR_INT32 = range(4)
_anonymous = itertools.count()
_context = context()


def graph_mode():
    """A context in which ops are added to the default graph."""
    return get_default_graph().as_default()


def ensure_initialized() -> None:
    """Start the runtime, after which devices cannot be configured any more."""
    context().ensure_initialized()


def num_gpus() -> int:
    return context().num_gpus()


def scope_name() -> str:
    return context().scope_name


def executing_eagerly_v1() -> bool:
    return state.graph is None


in_eager_mode = executing_eagerly_v1


def device(name):
    """A context in which ops run on a device."""
    from reflow.api.config import device as scope

    ensure_initialized()
    return scope(name)


def is_async() -> bool:
    """Whether eager ops return before they are done: they do not."""
    return False


def set_execution_mode(mode) -> None:
    """Accept `SYNC` and `ASYNC`: every op is done when it returns, which both allow."""
    if mode not in (None, SYNC, ASYNC):
        raise ValueError(f"Execution mode should be None/SYNC/ASYNC. Got {mode}")
    context().execution_mode = SYNC if mode is None else mode


@contextlib.contextmanager
def execution_mode(mode):
    """A context with an execution mode, see `set_execution_mode`."""
    old = context().execution_mode
    set_execution_mode(mode)
    try:
        yield
    finally:
        context().execution_mode = old


@contextlib.contextmanager
def executor_scope(e):
    """A context whose ops an executor runs: each at once, and functions that can be cancelled when it likes."""
    old, executor.current.executor = getattr(executor.current, "executor", None), e
    try:
        yield
    finally:
        executor.current.executor = old


@contextlib.contextmanager
def device_policy(policy):
    """A `with` block for a device policy, which has no effect: inputs on other devices are always copied silently."""
    if policy not in (DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_SILENT_FOR_INT32):
        raise ValueError("Reflow copies inputs between devices silently; there is no other policy.")
    yield


def async_clear_error() -> None:
    context().executor.clear_error()


def anonymous_name() -> str:
    """A name that no other resource has."""
    return f"cd2c89b7-88b7-44c8-ad83-06c2a9158347_{next(_anonymous)}"


def set_global_seed(seed) -> None:
    random_state.set_seed(seed)


def global_seed():
    return random_state.global_seed()


def set_soft_device_placement(enabled) -> None:
    devices.settings.soft_placement = bool(enabled)


def get_log_device_placement() -> bool:
    return context().log_device_placement


def run_eager_op_as_function_enabled() -> bool:
    """Whether each eager op is a function of its own."""
    return False


def is_custom_device(device_name) -> bool:
    """Whether a program has registered a device of its own under a name: that needs TensorFlow's C API."""
    return False


def _set_context(ctx) -> None:
    """Make another object the one that `context()` gives. All of them show the one runtime that there is."""
    if not isinstance(ctx, Context):
        raise TypeError(f"Expected a Context, got {ctx!r}.")


def _reset_jit_compiler_flags() -> None:
    """Read the flags of TensorFlow's compiler from the environment anew: Reflow's has none."""


class _EagerTensorCache:
    """Small tensors by keys; the oldest go first."""

    def __init__(self, max_items=256, max_tensor_size=10000):
        self._data, self._max_items, self._max_tensor_size = {}, max_items, max_tensor_size

    def put(self, key, value) -> None:
        """Keep a tensor, unless it is too large."""
        if value._num_elements() > self._max_tensor_size:
            return
        self._data[key] = value
        if len(self._data) > self._max_items:
            del self._data[next(iter(self._data))]

    def get(self, key):
        return self._data.get(key)

    def flush(self) -> None:
        self._data.clear()
