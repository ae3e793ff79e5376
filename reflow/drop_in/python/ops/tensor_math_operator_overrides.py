"""`tensorflow.python.ops.tensor_math_operator_overrides`: the functions behind the operators of tensors."""

from __future__ import annotations

from reflow.api.linalg.products import matmul as _matmul_factory  # noqa: F401
from reflow.api.math.arithmetic import floordiv as _floordiv_factory  # noqa: F401
from reflow.api.math.arithmetic import floormod as _mod_factory  # noqa: F401
from reflow.api.math.arithmetic import pow as _pow_factory  # noqa: F401
from reflow.api.math.arithmetic import subtract as _subtract_factory  # noqa: F401
from reflow.api.math.arithmetic import truediv as _truediv_factory  # noqa: F401
from reflow.api.math.unary import abs as _abs_factory  # noqa: F401
from reflow.api.operators import add as _add_dispatch_factory  # noqa: F401
from reflow.api.operators import multiply as _mul_dispatch_factory  # noqa: F401
