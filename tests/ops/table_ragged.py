"""Raw ops on ragged tensors: splits and flat values."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, normal
from tests.ops.table import EAGER, FLOATS, INTS, case, raw

_SPLITS = [0, 2, 2, 5]
_ROWS = lambda tf: tf.constant(_SPLITS, tf.int64)

case("RaggedRange", lambda tf, a, b, d: raw(tf, "RaggedRange", starts=a, limits=b, deltas=d), const([0, 5, 8]), const([3, 1, 8]), const([1, -2, 1]), dtypes=INTS + FLOATS, grad=False)
case("RaggedRange scalars", lambda tf, b: raw(tf, "RaggedRange", starts=1.0, limits=b, deltas=0.3), const([2.0, 1.0, 1.75]), grad=False)

case("RaggedGather", lambda tf, x: raw(tf, "RaggedGather", params_nested_splits=[_ROWS(tf)], params_dense_values=x, indices=[2, 0, 2, 1], OUTPUT_RAGGED_RANK=1)[1], normal(5, 2), modes=EAGER)
case("RaggedGather deep", lambda tf, x: raw(tf, "RaggedGather", params_nested_splits=[tf.constant([0, 1, 3], tf.int64), _ROWS(tf)], params_dense_values=x, indices=[[1, 0], [0, 0]], OUTPUT_RAGGED_RANK=3), normal(5), modes=EAGER, grad=False)
case("RaggedTensorToSparse", lambda tf, x: raw(tf, "RaggedTensorToSparse", rt_nested_splits=[tf.constant([0, 1, 3], tf.int64), _ROWS(tf)], rt_dense_values=x), normal(5), modes=EAGER)
case("RaggedTensorToSparse inner", lambda tf, x: raw(tf, "RaggedTensorToSparse", rt_nested_splits=[_ROWS(tf)], rt_dense_values=x), normal(5, 2), modes=EAGER)
for _label, _shape, _types, _parts in (("splits", [-1, -1], ["ROW_SPLITS"], lambda tf: [_ROWS(tf)]), ("cut", [2, 4], ["ROW_SPLITS"], lambda tf: [_ROWS(tf)]), ("narrow", [4, 1], ["ROW_SPLITS"], lambda tf: [_ROWS(tf)]),
                                       ("rowids", [-1, -1], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"], lambda tf: [tf.constant(4, tf.int64), tf.constant([0, 0, 2, 2, 2], tf.int64)]),
                                       ("deep", -1, ["ROW_SPLITS", "ROW_SPLITS"], lambda tf: [tf.constant([0, 1, 3], tf.int64), _ROWS(tf)])):
    case(f"RaggedTensorToTensor {_label}", lambda tf, x, d, _s=_shape, _t=_types, _p=_parts: raw(tf, "RaggedTensorToTensor", shape=tf.constant(_s, tf.int64), values=x, default_value=d, row_partition_tensors=_p(tf), row_partition_types=_t), normal(5), normal(), modes=EAGER)
case("RaggedTensorToTensor inner", lambda tf, x, d: raw(tf, "RaggedTensorToTensor", shape=tf.constant([-1, 4, 2], tf.int64), values=x, default_value=d, row_partition_tensors=[_ROWS(tf)], row_partition_types=["ROW_SPLITS"]), normal(5, 2), normal(2), modes=EAGER)

for _binary in (False, True):
    case(f"RaggedBincount {_binary}", lambda tf, v, _b=_binary: raw(tf, "RaggedBincount", splits=_ROWS(tf), values=v, size=tf.constant(4, v.dtype), weights=tf.constant([], tf.float32), binary_output=_b), const([1, 1, 3, 0, 7]), dtypes=INTS, modes=EAGER, grad=False)
    case(f"SparseBincount {_binary}", lambda tf, v, _b=_binary: raw(tf, "SparseBincount", indices=tf.constant([[0, 0], [0, 1], [2, 0], [2, 1], [2, 2]], tf.int64), values=v, dense_shape=tf.constant([3, 3], tf.int64), size=tf.constant(4, v.dtype), weights=tf.constant([], tf.float32), binary_output=_b), const([1, 1, 3, 0, 7]), dtypes=INTS, modes=EAGER, grad=False)
    case(f"RaggedCountSparseOutput {_binary}", lambda tf, v, _b=_binary: raw(tf, "RaggedCountSparseOutput", splits=_ROWS(tf), values=v, weights=tf.constant([], tf.float32), binary_output=_b), const([1, 1, 3, 0, 7]), dtypes=INTS, modes=EAGER, grad=False)
case("RaggedBincount weights", lambda tf, w: raw(tf, "RaggedBincount", splits=_ROWS(tf), values=[1, 1, 3, 0, 7], size=4, weights=w), normal(5), modes=EAGER, grad=False)
case("SparseBincount vector", lambda tf, w: raw(tf, "SparseBincount", indices=tf.constant([[0], [1], [4]], tf.int64), values=[2, 2, 0], dense_shape=tf.constant([5], tf.int64), size=4, weights=w), normal(3), modes=EAGER, grad=False)
case("RaggedCountSparseOutput weights", lambda tf, w: raw(tf, "RaggedCountSparseOutput", splits=_ROWS(tf), values=[1, 1, 3, 0, 7], weights=w, binary_output=False, maxlength=5), normal(5), modes=EAGER, grad=False)

case("RaggedFillEmptyRows", lambda tf, x, d: raw(tf, "RaggedFillEmptyRows", value_rowids=tf.constant([0, 2, 2], tf.int64), values=x, nrows=tf.constant(5, tf.int64), default_value=d)[1], normal(3), normal(), modes=EAGER, covers=("RaggedFillEmptyRowsGrad",))
case("RaggedFillEmptyRows all", lambda tf, x, d: raw(tf, "RaggedFillEmptyRows", value_rowids=tf.constant([0, 2, 2], tf.int64), values=x, nrows=tf.constant(5, tf.int64), default_value=d), normal(3), normal(), modes=EAGER, grad=False)


def _cross(tf, hashed):
    types = dict(out_values_type=tf.int64 if hashed else tf.string, out_row_splits_type=tf.int64)
    return raw(tf, "RaggedCross", ragged_values=[tf.constant(["a", "b", "c"])], ragged_row_splits=[tf.constant([0, 1, 3], tf.int64)], sparse_indices=[tf.constant([[0, 0], [1, 0]], tf.int64)], sparse_values=[tf.constant([4, 5], tf.int64)],
               sparse_shape=[tf.constant([2, 1], tf.int64)], dense_inputs=[tf.constant([["x", "y"], ["z", "w"]])], input_order="DRS", hashed_output=hashed, num_buckets=100 if hashed else 0, hash_key=7, **types)


for _hashed in (False, True):
    case(f"RaggedCross {_hashed}", lambda tf, _h=_hashed: _cross(tf, _h), modes=EAGER, grad=False)

# --- as variants
_NESTED_SPLITS = [[0, 2, 3], [0, 2, 3, 5]]


def _variant(tf, x, batched):
    return raw(tf, "RaggedTensorToVariant", rt_nested_splits=[tf.constant(s, tf.int64) for s in _NESTED_SPLITS], rt_dense_values=x, batched_input=batched)


def _plain_parts(out):
    return [*out[0], out[1]]


for _batched, _inner in ((True, 1), (False, 2)):
    case(f"RaggedTensorToVariant {_batched}", lambda tf, x, _b=_batched, _i=_inner: _plain_parts(raw(tf, "RaggedTensorFromVariant", encoded_ragged=_variant(tf, x, _b), input_ragged_rank=_i, output_ragged_rank=2, Tvalues=x.dtype)), normal(5), modes=EAGER, grad=False, covers=("RaggedTensorFromVariant",))
case("RaggedTensorToVariantGradient", lambda tf, x: raw(tf, "RaggedTensorToVariantGradient", encoded_ragged_grad=_variant(tf, x, True), row_splits=tf.constant(_NESTED_SPLITS[0], tf.int64), dense_values_shape=[5], Tvalues=x.dtype), normal(5), modes=EAGER, grad=False)
