"""`tensorflow.python.framework.sparse_tensor`: tests for sparse tensors."""

from reflow.core.sparse import SparseTensor, SparseTensorValue


def is_sparse(x) -> bool:
    """Whether a value is a sparse tensor, or the arrays of one that a session returned."""
    return isinstance(x, (SparseTensor, SparseTensorValue))
