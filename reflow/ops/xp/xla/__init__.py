"""The facade on XLA: what an op's kernel calls `xp` when it is traced into a program.

`host_xp` defines the facade and its rules; this module exports the same names with the same signatures.
Arguments are tracers, jax.Arrays or ndarrays. It is written on `jax.lax`, and assumes 64-bit types
(`jax_enable_x64`), which the package switches on when it starts JAX. It is imported only when a program is
first compiled.
"""

from reflow.ops.xp import words as facade_names
from reflow.ops.xp.shapes import highest, lowest, lowest_like  # noqa: F401 - words of the facade
from reflow.ops.xp.xla.arrays import *  # noqa: F403
from reflow.ops.xp.xla.gradients import *  # noqa: F403
from reflow.ops.xp.xla.gradients_array import *  # noqa: F403
from reflow.ops.xp.xla.linalg import *  # noqa: F403
from reflow.ops.xp.xla.math import *  # noqa: F403
from reflow.ops.xp.xla.windows import *  # noqa: F403

__all__ = facade_names.WORDS
