"""The array namespace on XLA: the `xp` of a kernel that is traced into a program.

It is written on `jax.lax` and assumes 64-bit types (`base.wide_types`). It is imported only when the first program is
compiled: importing JAX takes longer than the rest of `import reflow`.
"""

import sys
from typing import TYPE_CHECKING, Any

from reflow.ops.xp.dtype_facts import highest, lowest, lowest_like  # noqa: F401 - functions of xp
from reflow.ops.xp.names import NAMES
from reflow.ops.xp.shapes import static_axes, static_int  # noqa: F401 - functions of xp
from reflow.ops.xp.shared import bind_to_arrays
from reflow.ops.xp.xla.arrays import *  # noqa: F403
from reflow.ops.xp.xla.fused import *  # noqa: F403
from reflow.ops.xp.xla.linalg import *  # noqa: F403
from reflow.ops.xp.xla.math import *  # noqa: F403
from reflow.ops.xp.xla.slices import *  # noqa: F403
from reflow.ops.xp.xla.windows import *  # noqa: F403

__all__ = NAMES

bind_to_arrays(sys.modules[__name__])

if TYPE_CHECKING:  # what `bind_to_arrays` puts here

    def __getattr__(name: str) -> Any: ...
