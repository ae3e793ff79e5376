"""The array namespace on NumPy: the `xp` of a kernel that runs on the host.

This package must not import JAX: `import reflow` has a budget of one second.
"""

import sys
from typing import TYPE_CHECKING, Any

from reflow.ops.xp.dtype_facts import highest, lowest, lowest_like  # noqa: F401 - functions of xp
from reflow.ops.xp.host.arrays import *  # noqa: F403
from reflow.ops.xp.host.linalg import *  # noqa: F403
from reflow.ops.xp.host.math import *  # noqa: F403
from reflow.ops.xp.host.slices import *  # noqa: F403
from reflow.ops.xp.host.windows import *  # noqa: F403
from reflow.ops.xp.names import NAMES
from reflow.ops.xp.shapes import static_axes, static_int  # noqa: F401 - functions of xp
from reflow.ops.xp.shared import bind_to_arrays
from reflow.ops.xp.unfused import *  # noqa: F403

__all__ = NAMES

bind_to_arrays(sys.modules[__name__])

if TYPE_CHECKING:  # what `bind_to_arrays` puts here

    def __getattr__(name: str) -> Any: ...
