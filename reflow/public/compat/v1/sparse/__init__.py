# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.sparse`."""

from reflow.api.math.bins import sparse_bincount as bincount
from reflow.api.sparse.arithmetic import mask as mask
from reflow.api.sparse.arithmetic import maximum as maximum
from reflow.api.sparse.arithmetic import minimum as minimum
from reflow.api.sparse.arithmetic import softmax as softmax
from reflow.api.sparse.arithmetic import sparse_dense_matmul as sparse_dense_matmul
from reflow.api.sparse.crosses import cross as cross
from reflow.api.sparse.crosses import cross_hashed as cross_hashed
from reflow.api.sparse.tensors import expand_dims as expand_dims
from reflow.api.sparse.tensors import eye as eye
from reflow.api.sparse.tensors import fill_empty_rows as fill_empty_rows
from reflow.api.sparse.tensors import from_dense as from_dense
from reflow.api.sparse.tensors import reorder as reorder
from reflow.api.sparse.tensors import reset_shape as reset_shape
from reflow.api.sparse.tensors import reshape as reshape
from reflow.api.sparse.tensors import retain as retain
from reflow.api.sparse.tensors import slice_ as slice
from reflow.api.sparse.tensors import sparse_placeholder as placeholder
from reflow.api.sparse.tensors import to_dense as to_dense
from reflow.api.sparse.tensors import to_indicator as to_indicator
from reflow.api.sparse.tensors import transpose as transpose
from reflow.compat.reordered import sparse_add as add
from reflow.compat.reordered import sparse_concat as concat
from reflow.compat.reordered import sparse_segment_mean as segment_mean
from reflow.compat.reordered import sparse_segment_sqrt_n as segment_sqrt_n
from reflow.compat.reordered import sparse_segment_sum as segment_sum
from reflow.compat.rows_of_strings import sparse_merge as merge
from reflow.compat.sparse import reduce_max as reduce_max
from reflow.compat.sparse import reduce_max_sparse as reduce_max_sparse
from reflow.compat.sparse import reduce_sum as reduce_sum
from reflow.compat.sparse import reduce_sum_sparse as reduce_sum_sparse
from reflow.compat.sparse import sparse_split as split
from reflow.core.sparse import SparseTensor as SparseTensor
from reflow.queues.gradients import SparseConditionalAccumulator as SparseConditionalAccumulator

matmul = sparse_dense_matmul

__all__ = [
    "SparseConditionalAccumulator", "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims",
    "eye", "fill_empty_rows", "from_dense", "mask", "matmul", "maximum", "merge", "minimum", "placeholder",
    "reduce_max", "reduce_max_sparse", "reduce_sum", "reduce_sum_sparse", "reorder", "reset_shape", "reshape", "retain",
    "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax", "sparse_dense_matmul", "split", "to_dense",
    "to_indicator", "transpose",
]
