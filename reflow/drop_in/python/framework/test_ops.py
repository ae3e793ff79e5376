"""`tensorflow.python.framework.test_ops`: the ops that TensorFlow's wheel registers to test graphs, importers and op
definitions with.

They are registered when this module is imported. Most have a definition only: they can be nodes, and refuse to run, as
in TensorFlow. `test_opdefs.json.gz` holds the definitions (`tools/make_opdefs.py`); functions are called after their
ops: `test_ops.float_output`.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from reflow.api.raw_ops import function_of
from reflow.api.runtime_settings import tensor_float_32_execution_enabled
from reflow.core import dtypes
from reflow.core.errors import AlreadyExistsError, DeadlineExceededError, InvalidArgumentError, NotFoundError
from reflow.core.tensor import HostObject
from reflow.drop_in.private_modules import generated_function
from reflow.graph.export import PRODUCER
from reflow.ops import opdef, registry
from reflow.ops.record import NO_GRADIENT, Op
from reflow.ops.shape_facts import NodeFacts, Shapes
from reflow.queues.waiting import patience

#: the ops whose result is always a scalar
_SCALARS = ["DevicePlacementOp", "GraphDefVersion", "IsTensorFloat32Enabled", "KernelLabel", "ResourceInitializedOp"]
_kernels: dict[str, Callable] = {}
_created: set[tuple[str, str]] = set()  # the stub resources that are there: containers and names


def _kernel(op: str) -> Callable[[Callable], Callable]:
    return lambda function: _kernels.setdefault(op, function)


@_kernel("Old")
def _old(xp):
    return ()


@_kernel("GraphDefVersion")
def _graph_def_version(xp):
    return np.int32(PRODUCER)


@_kernel("IsTensorFloat32Enabled")
def _is_tensor_float32_enabled(xp):
    return np.bool_(tensor_float_32_execution_enabled())


@_kernel("SleepOp")
def _sleep(xp, sleep_seconds):
    _wait(sleep_seconds)
    return ()


@_kernel("SleepIdentityOp")
def _sleep_identity(xp, sleep_seconds, input):
    _wait(sleep_seconds)
    return input


def _wait(seconds: float) -> None:
    """Sleep, at most until the session gives up."""
    left = float("inf") if patience.deadline is None else patience.deadline - time.monotonic()
    time.sleep(max(min(float(seconds), left), 0))
    if left < seconds:
        raise DeadlineExceededError(None, None, "Timed out waiting for notification")


@_kernel("GetDeadline")
def _get_deadline(xp):
    """When the session gives up, in microseconds since 1970."""
    if patience.deadline is None:
        raise InvalidArgumentError(None, None, "Deadline has not been set.")
    return np.int64((time.time() + patience.deadline - time.monotonic()) * 1e6)


class _Stub(HostObject):
    """The value of a handle of a stub resource."""

    tensor_dtype = dtypes.resource

    def __init__(self, container: str, shared_name: str) -> None:
        self.key = container, shared_name


@_kernel("StubResourceHandleOp")
def _stub_handle(xp, container, shared_name):
    return _Stub(container, shared_name)


@_kernel("ResourceCreateOp")
def _resource_create(xp, resource):
    if resource.key in _created:
        raise AlreadyExistsError(None, None, f"Resource {'/'.join(resource.key)}")
    _created.add(resource.key)
    return ()


@_kernel("ResourceInitializedOp")
def _resource_initialized(xp, resource):
    return np.bool_(resource.key in _created)


@_kernel("KernelLabel")
def _kernel_label(xp, **attrs):
    label = attrs.get("_kernel") or "default"
    return np.array(f"My label is: {label}".encode(), object)


@_kernel("IsResourceHandleRefCounting")
def _is_ref_counting(xp, handle):
    """Whether a resource ends with its last handle: anonymous tables do, and so do variables and iterators of ours."""
    return np.bool_(getattr(handle, "ref_counted", True))


class _WeakHandle(HostObject):
    """A handle that does not keep its variable."""

    tensor_dtype = dtypes.resource

    def __init__(self, handle: Any) -> None:
        self._name, self._handle = handle.name, weakref.ref(handle)

    def __getattr__(self, attribute: str) -> Any:
        handle = self._handle()
        if handle is None:
            raise NotFoundError(None, None, f"Resource localhost/{self._name}/N10tensorflow3VarE does not exist.")
        return getattr(handle, attribute)


@_kernel("MakeWeakResourceHandle")
def _weak_handle(xp, handle):
    return _WeakHandle(handle)


def _without_kernel(op: str) -> Callable:
    def kernel(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        words = (
            f"Could not find device for node: {{{{node {op}}}}} = {op}[]\nAll kernels registered for op {op}:\n  "
            "<no registered kernels>\n"
        )
        raise NotFoundError(None, None, words)

    return kernel


def _shapes(facts: NodeFacts) -> Shapes:
    """The shape rule of test ops: nothing is known about most results."""
    outputs = registry.output_dtypes(facts.op, registry.full_attrs(facts.op, facts.dtypes, facts.attrs))
    return [() if facts.op.name in _SCALARS else None] * len(outputs)


def _register() -> dict[str, str]:
    """Register all; returns the ops by the names of their functions."""
    found = {}
    for op in opdef.add_file(Path(__file__).with_name("test_opdefs.json.gz")):
        definition = opdef.lookup(op)
        kernel = _kernels.get(op) or _without_kernel(op)
        record = Op(definition, kernel, shape=_shapes, grad=NO_GRADIENT, host=True, effect=definition.stateful)
        registry.REGISTRY.add(op, record)
        found[function_of(op).__name__] = op
    return found


_OPS = _register()


def __getattr__(name: str) -> Any:
    if name not in _OPS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return generated_function(_OPS[name])
