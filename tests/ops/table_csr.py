"""Sparse matrices in compressed rows. TensorFlow has some of the ops on GPUs only: their reference is the dense computation."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import normal, spd
from tests.ops.table import EAGER, case, raw

_PLACES = [[0, 1], [0, 3], [2, 0], [2, 1], [2, 2]]
_BATCH = [[0, 0, 1], [0, 2, 0], [1, 0, 0], [1, 1, 1]]
_TYPES = ("float32", "complex64")


def _csr(tf, x, places=None):
    return raw(tf, "DenseToCSRSparseMatrix", dense_input=x, indices=tf.constant(places or (_PLACES if len(x.shape) == 2 else _BATCH), tf.int64))


def _dense(tf, m, dtype):
    return raw(tf, "CSRSparseMatrixToDense", sparse_input=m, type=dtype)


def _masked(tf, x, places=None):
    """The dense form of `_csr`."""
    return tf.tensor_scatter_nd_update(tf.zeros_like(x), places or _PLACES, tf.gather_nd(x, places or _PLACES))


_FEW = [[0, 0], [1, 1], [1, 2], [2, 0]]


case("CSRSparseMatrixToDense", lambda tf, x: _dense(tf, _csr(tf, x), x.dtype), normal(3, 4), dtypes=_TYPES, modes=EAGER, covers=("DenseToCSRSparseMatrix",))
case("CSRSparseMatrixToDense batch", lambda tf, x: _dense(tf, _csr(tf, x), x.dtype), normal(2, 3, 2), modes=EAGER)
case("CSRSparseMatrixToSparseTensor", lambda tf, v: raw(tf, "CSRSparseMatrixToSparseTensor", sparse_matrix=raw(tf, "SparseTensorToCSRSparseMatrix", indices=tf.constant(_PLACES, tf.int64), values=v, dense_shape=tf.constant([3, 4], tf.int64)), type=v.dtype), normal(5), modes=EAGER, covers=("SparseTensorToCSRSparseMatrix",))
case("CSRSparseMatrixComponents", lambda tf, x: [raw(tf, "CSRSparseMatrixComponents", csr_sparse_matrix=_csr(tf, x), index=i, type=x.dtype) for i in range(2)], normal(2, 3, 2), modes=EAGER, grad=False)
case("SparseMatrixNNZ", lambda tf, x, y: [raw(tf, "SparseMatrixNNZ", sparse_matrix=_csr(tf, m)) for m in (x, y)], normal(3, 4), normal(2, 3, 2), modes=EAGER, grad=False)
case("SparseMatrixTranspose", lambda tf, x: _dense(tf, raw(tf, "SparseMatrixTranspose", input=_csr(tf, x), conjugate=True, type=x.dtype), x.dtype), normal(3, 4), dtypes=_TYPES, modes=EAGER)
for _label, _shapes, _flags in (("", ((3, 4), (4, 2)), {}), ("ta", ((3, 4), (3, 2)), {"transpose_a": True}), ("aa", ((3, 4), (3, 2)), {"adjoint_a": True}), ("tb", ((3, 4), (2, 4)), {"transpose_b": True}),
                                ("ab", ((3, 4), (2, 4)), {"adjoint_b": True}), ("out", ((3, 4), (4, 2)), {"transpose_output": True, "conjugate_output": True}), ("batch", ((2, 3, 2), (2, 2, 3)), {})):
    case(f"SparseMatrixMatMul {_label}".strip(), lambda tf, x, y, _f=_flags: raw(tf, "SparseMatrixMatMul", a=_csr(tf, x), b=y, **_f), normal(*_shapes[0]), normal(*_shapes[1]), dtypes=_TYPES if "out" not in _label else ("float32",), modes=EAGER)
for _label, _shapes, _flags in (("", ((3, 4), (4, 3)), {}), ("ta", ((3, 4), (3, 4)), {"transpose_a": True}), ("ab", ((3, 4), (3, 4)), {"adjoint_b": True})):
    case(f"SparseMatrixSparseMatMul {_label}".strip(), lambda tf, x, y, _f=_flags: _dense(tf, raw(tf, "SparseMatrixSparseMatMul", a=_csr(tf, x), b=_csr(tf, y, _FEW), type=x.dtype, **_f), x.dtype), normal(*_shapes[0]), normal(*_shapes[1]), dtypes=_TYPES, modes=EAGER,
         reference=lambda tf, x, y, _f=_flags: tf.matmul(_masked(tf, x), _masked(tf, y, _FEW), **_f))  # its gradient fails at once

case("SparseMatrixAdd", lambda tf, x, y: _dense(tf, raw(tf, "SparseMatrixAdd", a=_csr(tf, x), b=_csr(tf, y, [[0, 0], [0, 1], [2, 2]]), alpha=2.0, beta=-1.0), x.dtype), normal(3, 4), normal(3, 4), modes=EAGER, grad=False,
     reference=lambda tf, x, y: 2.0 * _masked(tf, x) - tf.tensor_scatter_nd_update(tf.zeros_like(y), [[0, 0], [0, 1], [2, 2]], tf.gather_nd(y, [[0, 0], [0, 1], [2, 2]])))
case("SparseMatrixMul", lambda tf, x, y: _dense(tf, raw(tf, "SparseMatrixMul", a=_csr(tf, x), b=y), x.dtype), normal(3, 4), normal(), modes=EAGER, grad=False, reference=lambda tf, x, y: _masked(tf, x) * y)
case("SparseMatrixZeros", lambda tf, x: _dense(tf, raw(tf, "SparseMatrixZeros", dense_shape=tf.constant([3, 4], tf.int64), type=x.dtype), x.dtype), normal(3, 4), modes=EAGER, grad=False, reference=lambda tf, x: tf.zeros_like(x))


def _sparse_softmax(tf, x):
    values = tf.sparse.softmax(tf.sparse.SparseTensor(tf.constant(_PLACES, tf.int64), tf.gather_nd(x, _PLACES), [3, 4])).values
    return tf.tensor_scatter_nd_update(tf.zeros_like(x), _PLACES, values)


case("SparseMatrixSoftmax", lambda tf, x: _dense(tf, raw(tf, "SparseMatrixSoftmax", logits=_csr(tf, x), type=x.dtype), x.dtype), normal(3, 4), modes=EAGER, covers=("SparseMatrixSoftmaxGrad",), reference=_sparse_softmax)


def _definite(tf, x, batch=False):
    """A tridiagonal matrix that is positive definite, as the variant of its entries."""
    places = [[i, j] for i in range(4) for j in range(4) if abs(i - j) < 2]
    places = [[b, *p] for b in range(2) for p in places] if batch else places
    return raw(tf, "DenseToCSRSparseMatrix", dense_input=x, indices=tf.constant(places, tf.int64))


for _label, _shape in (("", (4, 4)), ("batch", (2, 4, 4))):
    _p = [2, 0, 3, 1] if not _label else [[2, 0, 3, 1], [0, 1, 2, 3]]
    case(f"SparseMatrixSparseCholesky {_label}".strip(), lambda tf, x, _p=_p: _dense(tf, raw(tf, "SparseMatrixSparseCholesky", input=_definite(tf, x, x.shape.rank == 3), permutation=_p, type=x.dtype), x.dtype), spd(*_shape), modes=EAGER, grad=False, loose=(10.0, "another order of sums"))
    case(f"SparseMatrixOrderingAMD {_label}".strip(), lambda tf, x: tf.sort(raw(tf, "SparseMatrixOrderingAMD", input=_definite(tf, x, x.shape.rank == 3)), -1), spd(*_shape), modes=EAGER, grad=False)
