"""`Backend`: where ops run, and how tensors are created without an op.

The public functions, the tape and `tf.function` know one backend, the thread's (`state.backend`), and ask it for
everything that depends on where data lives and what computes with it. A backend is chosen for the process
(`context.use_backend`) or for a `with` block of one thread (`swapped(backend=...)`). There are four: the host
(`reflow/backends/host.py`), a choice of devices (`placed.py`), and two around another: one checks its results
(`checked.py`), one tells a program's callbacks of its ops (`observed.py`). `docs/design.md` section 4 has the contract.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from reflow.core.dtypes import DType
    from reflow.core.tensor import EagerTensor, Tensor
    from reflow.core.types import Attrs, Dims, Value


class Backend:
    """Where ops run. All values that tensors hold come from the backend's methods, and are passed back to them."""

    #: Whether an op on host arrays may skip `execute` when nothing records it: its kernel then runs directly
    #: (`ops/dispatch.py`).
    direct = False
    #: Whether the backend was installed by a device scope, and is removed with it.
    scoped = False

    # --- ops

    def execute(self, op: Any, inputs: Sequence[Tensor], attrs: Attrs) -> Any:
        """Run an op on eager tensors now, and tell the tapes.

        Returns a tensor, or a list if the op has several outputs.
        """
        raise NotImplementedError

    def building(self, graph: Any) -> Any:
        """The object that takes ops while a graph is built: its `execute` and `constant` add nodes."""
        raise NotImplementedError

    # --- values created without an op

    def constant(self, array: np.ndarray, dtype: DType | None = None) -> EagerTensor:
        """The tensor of a constant, from a host array that no other code will write to."""
        raise NotImplementedError

    def handle(self, dtype: DType, dims: Dims | None, name: str, value: EagerTensor) -> EagerTensor:
        """The resource tensor of a new variable, with its initial value."""
        raise NotImplementedError

    # --- functions

    def run(self, graph: Any, values: Sequence[Value]) -> list[Value]:
        """Run a function's graph on raw values (arguments, then captures), invisible to tapes; returns raw values."""
        raise NotImplementedError

    def argument(self, tensor: Tensor) -> Value:
        """The raw value of a tensor passed to a function."""
        raise NotImplementedError

    def result(self, value: Value, dtype: DType | None = None) -> EagerTensor:
        """The tensor of a raw value that a function returned."""
        raise NotImplementedError

    # --- devices

    def device_of(self, value: Value) -> str:
        """The full name of the device whose memory holds a raw value."""
        raise NotImplementedError

    def copy_to(self, tensor: EagerTensor, device: str) -> EagerTensor:
        """A copy of the tensor on a device such as `GPU:0`. RuntimeError if there is no such device."""
        raise NotImplementedError

    # --- composition

    @property
    def base(self) -> Backend | None:
        """The backend that does the computation: for a wrapper, the one it wraps; None means the process' backend."""
        return self

    def around(self, base: Backend | None) -> Backend | None:
        """This backend around another base (None: the process' backend). A wrapper stays a wrapper."""
        return base
