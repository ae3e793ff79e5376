"""`tf.sparse.cross` and `tf.sparse.cross_hashed`: feature crosses."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor

_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def _operands(inputs, message: str):
    """The inputs of the ops, and the attributes that say how many there are of each kind."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(i, (SparseTensor, Tensor)) for i in inputs):
        raise TypeError(message)

    def plain(x):
        return x if x.dtype is dtypes.string else arithmetic.cast(x, dtypes.int64)

    sparse = [i for i in inputs if isinstance(i, SparseTensor)]
    dense = [plain(i) for i in inputs if not isinstance(i, SparseTensor)]
    values = [plain(i.values) for i in sparse]
    attrs = {"N": len(sparse), "sparse_types": [v.dtype for v in values], "dense_types": [d.dtype for d in dense]}
    return [*(i.indices for i in sparse), *values, *(i.dense_shape for i in sparse), *dense], attrs


@export("sparse.cross")
def cross(inputs, name=None, separator=None):
    """Joins the values of each combination that columns have in a row.

    Args:
      inputs: A list of `SparseTensor`s and matrices with equally many rows, of strings or integers.
      name: A name for the operation.
      separator: What stands between the values; `_X_` by default.

    Returns:
      A `SparseTensor` of strings, with the combinations in each row; sparse columns come first.

    Raises:
      TypeError: `inputs` is not a list of such tensors.

    >>> cross([convert_to_tensor([["a"], ["b"]]), convert_to_tensor([[1], [2]])]).values.numpy().tolist()
    [b'a_X_1', b'b_X_2']
    """
    operands, attrs = _operands(inputs, "All inputs must be Tensor or SparseTensor.")
    sep = convert_to_tensor("_X_" if separator is None else separator, dtypes.string)
    return SparseTensor(*call("SparseCrossV2", (*operands, sep), attrs, name))


#: what the docstrings of this function and that of `tf.ragged` have in common
HASHED = """\
Args:
  num_buckets: How many values the result can have; 0 for no limit.
  hash_key: The number to hash with; by default a fixed one.
  name: A name for the operation.
"""


@export("sparse.cross_hashed")
@with_sections(HASHED)
def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Hashes each combination of the values that columns have in a row.

    Args:
      inputs: A list of `SparseTensor`s and matrices with equally many rows, of strings or integers.

    Returns:
      A `SparseTensor` of int64, with the combinations in each row.

    Raises:
      TypeError: `inputs` is not a list of such tensors.

    >>> tf.sparse.cross_hashed([tf.constant([["a"]]), tf.constant([["b"]])], num_buckets=100).shape
    TensorShape([1, 1])
    """
    operands, attrs = _operands(inputs, "All inputs must be SparseTensors")
    numbers = any(t is not dtypes.string for t in attrs["sparse_types"] + attrs["dense_types"])
    internal = dtypes.int64 if numbers else dtypes.string
    attrs |= {
        "hashed_output": True,
        "num_buckets": num_buckets,
        "hash_key": hash_key or _DEFAULT_HASH_KEY,
        "out_type": dtypes.int64,
        "internal_type": internal,
    }
    return SparseTensor(*call("SparseCross", operands, attrs, name))
