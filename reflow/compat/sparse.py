"""Sparse tensors in `tf.compat.v1`: reductions with the old argument names, dense tensors from positions and values."""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.call import call
from reflow.api.export import export, export_function
from reflow.api.sparse import arithmetic, tensors
from reflow.compat.functions import either
from reflow.ops.convert import convert_to_tensor


def _reduction(reduce: Callable, output_is_sparse: bool, shown: str) -> Callable:
    kind = reduce.__name__ + "_sparse" * output_is_sparse

    def function(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
        axis = either(axis, reduction_axes, "axis", "reduction_axes")
        return reduce(sp_input, axis, either(keepdims, keep_dims, "keepdims", "keep_dims"), output_is_sparse)

    kept = "sparse" if output_is_sparse else "dense"
    doc = f"`tf.sparse.{reduce.__name__}`, which also knows the old names of its arguments; the result is {kept}."
    call = f"tf.compat.v1.sparse_{kind}(x, reduction_axes=1)"
    dense = f"tf.sparse.to_dense({call})" if output_is_sparse else call
    example = f">>> x = tf.sparse.from_dense([[1, 0], [2, 3]])\n>>> {dense}.numpy().tolist()\n{shown}"
    return export_function(function, f"compat.v1.sparse.{kind}", f"compat.v1.sparse_{kind}", doc=doc, example=example)


reduce_sum = _reduction(arithmetic.reduce_sum, False, "[1, 5]")
reduce_sum_sparse = _reduction(arithmetic.reduce_sum, True, "[1, 5]")
reduce_max = _reduction(arithmetic.reduce_max, False, "[1, 3]")
reduce_max_sparse = _reduction(arithmetic.reduce_max, True, "[1, 3]")


@export("compat.v1.sparse_to_dense")
def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A dense tensor with values at places, and `default_value` elsewhere.

    >>> tf.compat.v1.sparse_to_dense([1, 3], [4], 5).numpy().tolist()
    [0, 5, 0, 5]
    """
    places, values = convert_to_tensor(sparse_indices), convert_to_tensor(sparse_values)
    inputs = (
        places, convert_to_tensor(output_shape, places.dtype), values, convert_to_tensor(default_value, values.dtype)
    )
    return call("SparseToDense", inputs, {"validate_indices": validate_indices}, name)


class KeywordRequired:
    """Stands in front of arguments that must be named."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


_REQUIRED = KeywordRequired()


@export("compat.v1.sparse_split", "compat.v1.sparse.split")
def sparse_split(keyword_required=_REQUIRED, sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
    """A sparse tensor cut into `num_split` parts along `axis`; the arguments must be named.

    >>> x = tf.sparse.from_dense([[1, 0], [2, 3]])
    >>> left, right = tf.compat.v1.sparse_split(sp_input=x, num_split=2, axis=1)
    >>> tf.sparse.to_dense(left).numpy().tolist(), tf.sparse.to_dense(right).numpy().tolist()
    ([[1], [2]], [[0], [3]])
    """
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    for given, what in ((sp_input, "sp_input"), (num_split, "num_split")):
        if given is None:
            raise ValueError(f"{what} is required")
    axis = either(axis, split_dim, "axis", "split_dim")
    if axis is None:
        raise ValueError("axis is required")
    return tensors.split(sp_input, num_split, axis, name)
