"""`tf.ragged.cross` and `tf.ragged.cross_hashed`.

Every combination of the values that several columns have in a row.
"""

from __future__ import annotations

from reflow.api.export import export, with_sections
from reflow.api.ragged.build import as_values
from reflow.api.sparse import crosses
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor


def _columns(inputs) -> list[SparseTensor]:
    """Columns as sparse matrices, whose entries fill each row from the left."""
    if not inputs:
        raise ValueError("Inputs may not be empty.")
    columns = [x if isinstance(x, SparseTensor) else as_values(x) for x in inputs]
    found = []
    for column in columns:
        if isinstance(column, RaggedTensor) and column.ragged_rank > 1:
            raise ValueError("tf.ragged.cross only supports inputs with rank=2")
        if column.shape.rank not in (None, 2):
            raise ValueError("tf.ragged.cross only supports inputs with rank=2")
        if isinstance(column, SparseTensor):
            found.append(column)
        else:
            rows = column if isinstance(column, RaggedTensor) else RaggedTensor.from_tensor(column)
            found.append(rows.to_sparse())
    return found


@export("ragged.cross")
def cross(inputs, name=None):
    """Joins the values of each combination that columns have in a row with `_X_`.

    Args:
      inputs: Matrices with equally many rows: ragged, sparse or dense, of strings or integers.
      name: A name for the operation.

    Returns:
      A `RaggedTensor` of strings, with the combinations in each row.

    Raises:
      ValueError: There are no inputs, or one is not a matrix.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    return RaggedTensor.from_sparse(crosses.cross(_columns(inputs), name))


@export("ragged.cross_hashed")
@with_sections(crosses.HASHED)
def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Hashes each combination of the values that columns have in a row.

    Args:
      inputs: Matrices with equally many rows: ragged, sparse or dense, of strings or integers.

    Returns:
      A `RaggedTensor` of int64, with the combinations in each row.

    Raises:
      ValueError: There are no inputs, or one is not a matrix.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])], 100, 5)
    <tf.RaggedTensor [[4], [54, 45]]>
    """
    return RaggedTensor.from_sparse(crosses.cross_hashed(_columns(inputs), num_buckets, hash_key, name))
