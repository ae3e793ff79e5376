"""`tf.sets`, and `tf.sparse.bincount`: sets and counts in the rows of tensors, dense or sparse."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import constant, convert_to_tensor, from_array


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
    """The elements that are in one of the rows, or in both.

    >>> tf.sets.union([[1, 2]], [[2, 4]]).values.numpy().tolist()
    [1, 2, 4]
    """
    return _operation(a, b, "union", validate_indices)


@export("sets.difference")
def difference(a, b, aminusb=True, validate_indices=True) -> SparseTensor:
    """The elements that are in the first row only; in the second only if not `aminusb`.

    >>> tf.sets.difference([[1, 2, 3]], [[2, 4]]).values.numpy().tolist()
    [1, 3]
    """
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


@export("sets.size")
def size(a, validate_indices=True):
    """How many different elements each row has.

    >>> tf.sets.size(tf.sparse.from_dense([[1, 1], [2, 3]])).numpy().tolist()
    [1, 2]
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a!r}.")
    return call("SetSize", _parts(a), {"validate_indices": bool(validate_indices)})


def _limit(value, name) -> int:
    value = -1 if value is None else int(arrange.get_static_value(convert_to_tensor(value)))
    if value < -1:
        raise ValueError(f"`{name}` must not be negative. Received: {name}={value}")
    return value


@export("sparse.bincount")
def bincount(
    values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None
) -> SparseTensor:
    """How often each number occurs, in all of `values` or (`axis=-1`) in each row, as a sparse tensor.

    >>> tf.sparse.to_dense(tf.sparse.bincount([[1, 1], [2, 0]], axis=-1)).numpy().tolist()
    [[0, 2, 0], [1, 0, 1]]
    """
    if axis not in (0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    values = values.to_sparse() if isinstance(values, RaggedTensor) else _either(values)
    if weights is not None:
        weights = weights.to_sparse() if isinstance(weights, RaggedTensor) else _either(weights)
        if isinstance(weights, SparseTensor) != isinstance(values, SparseTensor):
            raise ValueError(
                f"Argument `weights` must be {'a' if isinstance(values, SparseTensor) else 'no'} SparseTensor like `values`."
            )
        weights = weights.values if isinstance(weights, SparseTensor) else weights
    else:
        weights = from_array(np.zeros(0, values.dtype.np_dtype))
    attrs = {
        "binary_output": bool(binary_output),
        "minlength": _limit(minlength, "minlength"),
        "maxlength": _limit(maxlength, "maxlength"),
    }
    if axis == 0:
        flat = constant([-1])
        values = call("Reshape", (values.values if isinstance(values, SparseTensor) else values, flat))
        weights = call("Reshape", (weights, flat))
    if isinstance(values, SparseTensor):
        return SparseTensor(*call("SparseCountSparseOutput", (*_parts(values), weights), attrs, name))
    if values.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"`values` must be int32 or int64. Received: dtype={values.dtype.name}")
    return SparseTensor(*call("DenseCountSparseOutput", (values, weights), attrs, name))
