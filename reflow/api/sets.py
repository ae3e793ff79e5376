"""`tf.sets`: the rows of tensors, dense or sparse, as sets."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export, export_function, with_sections
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor


def _parts(x) -> tuple:
    return x.indices, x.values, x.dense_shape


def _either(x):
    return x if isinstance(x, SparseTensor) else convert_to_tensor(x)


def _operation(a, b, name, validate_indices) -> SparseTensor:
    """Runs a set operation on sparse or dense operands; if only the first is sparse, they are swapped."""
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


_SET_OPERATION = """\
Args:
  a: A tensor or `tf.sparse.SparseTensor` of integers or strings; its last axis holds the elements of a set.
  b: The same, of the same dtype, and equal to `a` in all axes but the last.
  validate_indices: Whether it is checked that the indices of sparse arguments are in order.

Returns:
  A `tf.sparse.SparseTensor` with the elements of each row, sorted.

Raises:
  TypeError: The dtypes differ.
  InvalidArgumentError: The shapes do not fit, the dtype is not supported, or indices are out of order.
"""


def _set_operation(name, doc, example):
    def operation(a, b, validate_indices=True) -> SparseTensor:
        return _operation(a, b, name, validate_indices)

    return export_function(operation, f"sets.{name}", doc=f"{doc}\n\n{_SET_OPERATION}", example=example)


intersection = _set_operation(
    "intersection",
    "Returns the elements that two rows have in common, for each pair of rows.",
    """
    >>> tf.sets.intersection([[1, 2]], [[2, 3]]).values.numpy().tolist()
    [2]
    """,
)
union = _set_operation(
    "union",
    "Returns the elements that are in at least one of two rows, for each pair of rows.",
    """
    >>> tf.sets.union([[1, 2]], [[2, 4]]).values.numpy().tolist()
    [1, 2, 4]
    """,
)


@export("sets.difference")
@with_sections(_SET_OPERATION)
def difference(a, b, aminusb=True, validate_indices=True) -> SparseTensor:
    """Returns the elements that are in only one particular row of two, for each pair of rows.

    Args:
      aminusb: Whether the elements are those of `a` that are not in `b`; otherwise those of `b` that are not in `a`.

    >>> tf.sets.difference([[1, 2, 3]], [[2, 4]]).values.numpy().tolist()
    [1, 3]
    """
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


@export("sets.size")
def size(a, validate_indices=True):
    """Counts the distinct elements in each row.

    Args:
      a: A `tf.sparse.SparseTensor` of integers or strings; its last axis holds the elements of a set.
      validate_indices: Whether it is checked that the indices are in order.

    Returns:
      An int32 tensor in the shape of `a` without its last axis.

    Raises:
      TypeError: `a` is not a `tf.sparse.SparseTensor`.
      InvalidArgumentError: Indices are out of order.

    >>> tf.sets.size(tf.sparse.from_dense([[1, 1], [2, 3]])).numpy().tolist()
    [1, 2]
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a!r}.")
    return call("SetSize", _parts(a), {"validate_indices": bool(validate_indices)})
