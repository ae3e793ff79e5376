"""`Backend`: where ops run, and what comes into being without an op.

The public functions, the tape and `tf.function` know one backend, the thread's (`state.backend`), and ask it for everything that
depends on where numbers are and who computes with them. A backend is chosen for the process (`context.use_backend`) or for a
`with` block of one thread (`swapped(backend=...)`). Three exist: the host (`reflow/backends/host.py`), a choice of devices
(`placed.py`), and one that looks at the results of another (`checked.py`). `docs/design.md` section 4 has the contract.
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
    """Where ops run. All values that tensors hold come from the backend's methods, and are handed back to them."""

    #: Whether an op on host arrays that nobody watches may skip `execute`: its kernel then runs at once (`ops/dispatch.py`).
    direct = False
    #: Whether it belongs to the scope of a device, and is left with it.
    scoped = False

    # --- ops

    def execute(self, op: Any, inputs: Sequence[Tensor], attrs: Attrs) -> Any:
        """Run an op on eager tensors now, and tell the tapes; returns a tensor, or a list if the op has several outputs."""
        raise NotImplementedError

    def building(self, graph: Any) -> Any:
        """What takes ops while a graph is built: an object with `execute` and `constant` that adds nodes to it."""
        raise NotImplementedError

    # --- values that no op makes

    def constant(self, array: np.ndarray, dtype: DType | None = None) -> EagerTensor:
        """The tensor of a constant, from a host array that nobody else will write."""
        raise NotImplementedError

    def handle(self, dtype: DType, dims: Dims | None, name: str, value: EagerTensor) -> EagerTensor:
        """The resource tensor of a new variable, with its first value."""
        raise NotImplementedError

    # --- functions

    def run(self, graph: Any, values: Sequence[Value]) -> list[Value]:
        """Run a function's graph on raw values (arguments, then captures), unseen by tapes; returns raw values."""
        raise NotImplementedError

    def argument(self, tensor: Tensor) -> Value:
        """The raw value of a tensor that is passed to a function."""
        raise NotImplementedError

    def result(self, value: Value, dtype: DType | None = None) -> EagerTensor:
        """The tensor of a raw value that a function returned."""
        raise NotImplementedError

    # --- devices

    def device_of(self, value: Value) -> str:
        """The full name of the device whose memory holds a raw value."""
        raise NotImplementedError

    def copy_to(self, tensor: EagerTensor, device: str) -> EagerTensor:
        """The tensor on a device such as `GPU:0`. RuntimeError if there is none of that name."""
        raise NotImplementedError

    # --- composition

    @property
    def base(self) -> Backend | None:
        """The backend that computes: of a wrapper, what it wraps; None if that is the process'."""
        return self

    def around(self, base: Backend | None) -> Backend | None:
        """This backend with another one (None: the process') in place of the one that computes. A wrapper stays."""
        return base
