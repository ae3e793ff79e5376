"""`tensorflow.python.autograph.utils.misc`: copies of tensors, lengths of ranges."""

from reflow.api.array.arrange import identity
from reflow.api.math.arithmetic import cast, maximum
from reflow.api.math.unary import ceil
from reflow.core import dtypes
from reflow.core.tensor import is_tensor
from reflow.ops.convert import convert_to_tensor


def alias_tensors(*args):
    """Each tensor as another of the same value, anything else as it is.

    One argument gives one value, several an iterator.
    """
    if not args:
        raise ValueError("at least one argument required")
    copies = (identity(a) if is_tensor(a) else a for a in args)
    return copies if len(args) > 1 else next(copies)


def get_range_len(start, limit, delta):
    """How many numbers `range(start, limit, delta)` has, as a tensor of the numbers' dtype."""
    span = convert_to_tensor(limit - start)
    steps = cast(ceil(cast(span, dtypes.float64) / cast(delta, dtypes.float64)), span.dtype)
    return maximum(steps, cast(0, span.dtype))
