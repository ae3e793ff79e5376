"""`tf.sets`: the rows of tensors, dense or sparse, as sets."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor


def _parts(x) -> tuple:
    return x.indices, x.values, x.dense_shape


def _either(x):
    return x if isinstance(x, SparseTensor) else convert_to_tensor(x)


def _operation(a, b, name, validate_indices) -> SparseTensor:
    """Both sparse, both dense, or a dense with a sparse one: a sparse first operand changes places."""
    a, b = _either(a), _either(b)
    if a.dtype is not b.dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        a, b = b, a
        name = {"a-b": "b-a", "b-a": "a-b"}.get(name, name)
    attrs = {"set_operation": name, "validate_indices": bool(validate_indices)}
    if isinstance(a, SparseTensor):
        return SparseTensor(*call("SparseToSparseSetOperation", (*_parts(a), *_parts(b)), attrs))
    if isinstance(b, SparseTensor):
        return SparseTensor(*call("DenseToSparseSetOperation", (a, *_parts(b)), attrs))
    return SparseTensor(*call("DenseToDenseSetOperation", (a, b), attrs))


@export("sets.intersection")
def intersection(a, b, validate_indices=True) -> SparseTensor:
    """The elements that are in both rows.

    >>> tf.sets.intersection([[1, 2]], [[2, 3]]).values.numpy().tolist()
    [2]
    """
    return _operation(a, b, "intersection", validate_indices)


@export("sets.union")
def union(a, b, validate_indices=True) -> SparseTensor:
    """The elements that are in either row.

    >>> tf.sets.union([[1, 2]], [[2, 4]]).values.numpy().tolist()
    [1, 2, 4]
    """
    return _operation(a, b, "union", validate_indices)


@export("sets.difference")
def difference(a, b, aminusb=True, validate_indices=True) -> SparseTensor:
    """The elements that are only in the first row; only in the second if not `aminusb`.

    >>> tf.sets.difference([[1, 2, 3]], [[2, 4]]).values.numpy().tolist()
    [1, 3]
    """
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


@export("sets.size")
def size(a, validate_indices=True):
    """The number of distinct elements in each row.

    >>> tf.sets.size(tf.sparse.from_dense([[1, 1], [2, 3]])).numpy().tolist()
    [1, 2]
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a!r}.")
    return call("SetSize", _parts(a), {"validate_indices": bool(validate_indices)})
