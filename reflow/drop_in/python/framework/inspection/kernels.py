"""`tensorflow.python.framework.kernels`: which ops can run, as the messages that list TensorFlow's kernels.

An op has one kernel here, which serves all of its dtypes; a list has it once for each kind of device.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reflow.devices import placement
from reflow.drop_in import protos
from reflow.ops import registry


def _listed(ops: Iterable[str]) -> Any:
    messages: Any = protos.module("tensorflow.core.framework.kernel_def_pb2")
    kinds = [kind for kind in ("CPU", "GPU") if placement.physical_devices(kind)]
    return messages.KernelList(kernel=[messages.KernelDef(op=op, device_type=kind) for op in ops for kind in kinds])


def get_all_registered_kernels() -> Any:
    """A KernelList of every op."""
    return _listed(sorted(registry.REGISTRY))


def get_registered_kernels_for_op(name: str) -> Any:
    """A KernelList of one op, empty if there is no such op."""
    return _listed([name] if name in registry.REGISTRY else [])
