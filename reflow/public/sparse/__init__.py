# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.sparse`: sparse tensors."""

from reflow.api.math.bins import sparse_bincount as bincount
from reflow.api.math.segment import sparse_segment_mean as segment_mean
from reflow.api.math.segment import sparse_segment_sqrt_n as segment_sqrt_n
from reflow.api.math.segment import sparse_segment_sum as segment_sum
from reflow.api.sparse.arithmetic import add as add
from reflow.api.sparse.arithmetic import map_values as map_values
from reflow.api.sparse.arithmetic import mask as mask
from reflow.api.sparse.arithmetic import maximum as maximum
from reflow.api.sparse.arithmetic import minimum as minimum
from reflow.api.sparse.arithmetic import reduce_max as reduce_max
from reflow.api.sparse.arithmetic import reduce_sum as reduce_sum
from reflow.api.sparse.arithmetic import sampled_addmm as sampled_addmm
from reflow.api.sparse.arithmetic import softmax as softmax
from reflow.api.sparse.arithmetic import sparse_dense_matmul as sparse_dense_matmul
from reflow.api.sparse.crosses import cross as cross
from reflow.api.sparse.crosses import cross_hashed as cross_hashed
from reflow.api.sparse.tensors import concat as concat
from reflow.api.sparse.tensors import expand_dims as expand_dims
from reflow.api.sparse.tensors import eye as eye
from reflow.api.sparse.tensors import fill_empty_rows as fill_empty_rows
from reflow.api.sparse.tensors import from_dense as from_dense
from reflow.api.sparse.tensors import reorder as reorder
from reflow.api.sparse.tensors import reset_shape as reset_shape
from reflow.api.sparse.tensors import reshape as reshape
from reflow.api.sparse.tensors import retain as retain
from reflow.api.sparse.tensors import slice_ as slice
from reflow.api.sparse.tensors import split as split
from reflow.api.sparse.tensors import to_dense as to_dense
from reflow.api.sparse.tensors import to_indicator as to_indicator
from reflow.api.sparse.tensors import transpose as transpose
from reflow.core.sparse import SparseTensor as SparseTensor

__all__ = [
    "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims", "eye", "fill_empty_rows",
    "from_dense", "map_values", "mask", "maximum", "minimum", "reduce_max", "reduce_sum", "reorder", "reset_shape",
    "reshape", "retain", "sampled_addmm", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax",
    "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose",
]
