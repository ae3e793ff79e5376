"""The array namespace on NumPy: what an op's kernel calls `xp` when it runs on the host.

A kernel is written once, `def maximum(xp, x, y): return xp.maximum(x, y)`, against an *array namespace* of our own: a set of
functions that `xp.host` (arguments and results are ndarrays) and `xp.xla` (arguments are tracers, jax.Arrays or ndarrays; results
are JAX values) have under the same names with the same signatures. `tests/ops/test_facade.py` runs every function on both and
compares values, dtypes and shapes.

The rules of the namespace:
- Dtypes are never promoted: binary functions need equal dtypes, reductions keep theirs, creation takes one
  (np.dtype).
- Array arguments are arrays, never Python numbers: `xp.const(2.0, x)` is a 0-d array of x's dtype. Axes,
  shapes, sizes, permutations and flags are Python ints, tuples and bools.
- Results are arrays, never NumPy scalars. Inputs are never written; a result may be a view of an input.
- 8- and 16-bit floats are computed in float32 and rounded once.
- Nothing warns and nothing raises because of values: the caller runs with np.seterr(all="ignore"), and errors
  that depend on values (division by zero, an index out of bounds) belong to the op's checks. Out of bounds,
  gathers clamp and scatters drop.

This package must not import JAX: `import reflow` has a budget of one second.
"""

import sys

from reflow.ops.xp.dtype_facts import highest, lowest, lowest_like  # noqa: F401 - functions of xp
from reflow.ops.xp.host.arrays import *  # noqa: F403
from reflow.ops.xp.host.linalg import *  # noqa: F403
from reflow.ops.xp.host.math import *  # noqa: F403
from reflow.ops.xp.host.slices import *  # noqa: F403
from reflow.ops.xp.host.windows import *  # noqa: F403
from reflow.ops.xp.names import NAMES
from reflow.ops.xp.shapes import static_axes, static_int  # noqa: F401 - functions of xp
from reflow.ops.xp.shared import bind_to_arrays

__all__ = NAMES

bind_to_arrays(sys.modules[__name__])
