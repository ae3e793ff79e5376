"""Sparse tensors: made from dense inputs inside the expression, and made dense again, so that gradients pass through
both."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, normal, positive, zeros
from tests.ops.table import FLOATS, case, raw

INDICES = [[0, 1], [1, 0], [1, 2]]


def sparse(tf, values, indices=INDICES, shape=(2, 3)):
    """A sparse tensor of three values."""
    return tf.sparse.SparseTensor(indices, values, shape)


def dense(tf, x):
    return tf.sparse.to_dense(x)


case("SparseToDense", lambda tf, v: dense(tf, sparse(tf, v)), normal(3), dtypes=FLOATS + ("int32",))
case("SparseToDense default", lambda tf, v: tf.sparse.to_dense(sparse(tf, v), default_value=7.0), normal(3))
case("Where from_dense", lambda tf, x: (lambda s: [s.indices, s.values, s.dense_shape])(tf.sparse.from_dense(x)), zeros(3, 4), grad=False)
case("SparseTensorDenseMatMul", lambda tf, v, b: tf.sparse.sparse_dense_matmul(sparse(tf, v), b), normal(3), normal(3, 2), dtypes=FLOATS + ("complex64",))
case("SparseTensorDenseMatMul adjoint", lambda tf, v, b: tf.sparse.sparse_dense_matmul(sparse(tf, v), b, adjoint_a=True, adjoint_b=True), normal(3), normal(4, 2),
     dtypes=("float32", "complex64"))
case("SparseAdd", lambda tf, v, w: dense(tf, tf.sparse.add(sparse(tf, v), sparse(tf, w, [[0, 1], [0, 2], [1, 0]]))), normal(3), normal(3), dtypes=FLOATS,
     covers=("SparseAddGrad",))
case("SparseTensorDenseAdd", lambda tf, v, x: tf.sparse.add(sparse(tf, v), x), normal(3), normal(2, 3), dtypes=FLOATS)
case("SparseDenseCwiseMul", lambda tf, v, x: dense(tf, sparse(tf, v) * x), normal(3), normal(2, 3), dtypes=FLOATS)
case("SparseDenseCwiseDiv", lambda tf, v, x: dense(tf, sparse(tf, v) / x), normal(3), positive(2, 3), dtypes=FLOATS)
case("SparseDenseCwiseAdd", lambda tf, v, x: raw(tf, "SparseDenseCwiseAdd", sp_indices=tf.constant(INDICES, tf.int64), sp_values=v,
                                                 sp_shape=tf.constant([2, 3], tf.int64), dense=x), normal(3), normal(3), grad=False)
case("SparseReduceSum", lambda tf, v: tf.sparse.reduce_sum(sparse(tf, v), axis=1), normal(3), dtypes=FLOATS)
case("SparseReduceSum keepdims", lambda tf, v: tf.sparse.reduce_sum(sparse(tf, v), axis=[0], keepdims=True), normal(3))
case("SparseReduceMax", lambda tf, v: tf.sparse.reduce_max(sparse(tf, v), axis=1), normal(3), grad=False)
case("SparseReduceSumSparse", lambda tf, v: dense(tf, tf.sparse.reduce_sum(sparse(tf, v), axis=1, output_is_sparse=True)), normal(3), grad=False)
case("SparseReduceMaxSparse", lambda tf, v: dense(tf, tf.sparse.reduce_max(sparse(tf, v), axis=1, output_is_sparse=True)), normal(3), grad=False)
case("SparseConcat", lambda tf, v, w: dense(tf, tf.sparse.concat(1, [sparse(tf, v), sparse(tf, w)])), normal(3), normal(3))
case("SparseSplit", lambda tf, v: [dense(tf, s) for s in tf.sparse.split(sp_input=sparse(tf, v), num_split=2, axis=1)], normal(3), grad=False)
case("SparseSlice", lambda tf, v: dense(tf, tf.sparse.slice(sparse(tf, v), [0, 1], [2, 2])), normal(3), covers=("SparseSliceGrad",))
case("SparseReorder", lambda tf, v: dense(tf, tf.sparse.reorder(sparse(tf, v, [[1, 2], [0, 1], [1, 0]]))), normal(3))
case("SparseReshape", lambda tf, v: dense(tf, tf.sparse.reshape(sparse(tf, v), [3, -1])), normal(3))
case("SparseReorder transpose", lambda tf, v: dense(tf, tf.sparse.transpose(sparse(tf, v))), normal(3))
case("SparseFillEmptyRows", lambda tf, v: (lambda s, e: [dense(tf, s), e])(*tf.sparse.fill_empty_rows(sparse(tf, v, [[0, 1], [0, 2], [2, 0]], (4, 3)), 9.0)), normal(3), covers=("SparseFillEmptyRowsGrad",))
case("SparseSoftmax", lambda tf, v: dense(tf, tf.sparse.softmax(sparse(tf, v))), normal(3), dtypes=FLOATS)
case("SparseSparseMaximum", lambda tf, v, w: dense(tf, tf.sparse.maximum(sparse(tf, v), sparse(tf, w))), normal(3), normal(3), grad=False)
case("SparseSparseMinimum", lambda tf, v, w: dense(tf, tf.sparse.minimum(sparse(tf, v), sparse(tf, w))), normal(3), normal(3), grad=False)
case("SparseToDense retain", lambda tf, v, k: dense(tf, tf.sparse.retain(sparse(tf, v), k)), normal(3), const([True, False, True], "bool"), grad=False)
