"""`tensorflow.python.ops.inplace_ops`: a tensor with some of its rows changed."""

from reflow.api.array.arrange import identity, reshape, shape
from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor


def _changed(name, x, i, v):
    x = convert_to_tensor(x)
    if i is None:  # all of it, as the only row of a matrix
        flat = getattr(raw_ops, name)(
            x=reshape(x, [1, -1]), i=constant([0]), v=reshape(convert_to_tensor(v, x.dtype), [1, -1])
        )
        return reshape(flat, shape(x))
    i, v = convert_to_tensor(i, dtypes.int32), convert_to_tensor(v, x.dtype)
    if i.shape.rank == 0:
        i, v = i[None], v[None]
    return getattr(raw_ops, name)(x=x, i=i, v=v)


def inplace_update(x, i, v):
    """`x` with the rows `i` replaced by `v`."""
    return _changed("InplaceUpdate", identity(x), i, v)


def inplace_add(x, i, v):
    """`x` with `v` added to the rows `i`."""
    return _changed("InplaceAdd", identity(x), i, v)


def inplace_sub(x, i, v):
    """`x` with `v` subtracted from the rows `i`."""
    return _changed("InplaceSub", identity(x), i, v)


alias_inplace_update, alias_inplace_add, alias_inplace_sub = inplace_update, inplace_add, inplace_sub


def empty_like(x, init=None):
    """A tensor of the same shape and dtype, zeros."""
    return raw_ops.ZerosLike(x=convert_to_tensor(x))
