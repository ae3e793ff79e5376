"""The array namespace on tensors: the `xp` of a gradient that is expanded into ordinary TensorFlow ops.

Tensors may be eager or symbolic, and every function dispatches TensorFlow's own ops. This provides second derivatives
(the ops are recorded and reversed again), and makes training functions exportable. Shapes may be unknown: functions
such as `sum_to_like` use static shapes where they can and otherwise add `Shape` and `BroadcastGradientArgs`, as
TensorFlow's own gradients do.

Operands that are Python ints or tuples in `xp.host` (axes, shapes, permutations) may be host arrays or tensors here.
Windows are missing: the gradients of convolutions and pooling are written on tensors (`grad_tensors`).
"""

import sys

from reflow.ops.xp.shared import bind_to_tensors
from reflow.ops.xp.tensor.arrays import *  # noqa: F403
from reflow.ops.xp.tensor.base import *  # noqa: F403
from reflow.ops.xp.tensor.gradients import *  # noqa: F403
from reflow.ops.xp.tensor.linalg import *  # noqa: F403
from reflow.ops.xp.tensor.math import *  # noqa: F403
from reflow.ops.xp.unfused import *  # noqa: F403

bind_to_tensors(sys.modules[__name__])
