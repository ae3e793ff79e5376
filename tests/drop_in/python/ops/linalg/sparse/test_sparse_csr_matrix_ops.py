"""Sparse matrices as objects."""

import itertools

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.linalg.sparse import sparse_csr_matrix_ops as csr

FLAGS = {
    (): lambda x: x, ("transpose",): np.transpose, ("adjoint",): lambda x: x.conj().T,
}


def matrix(rows, columns, dtype, seed):
    random = np.random.default_rng(seed)
    values = random.normal(size=(rows, columns)) * (random.random((rows, columns)) > 0.4)
    return values.astype(dtype) * (1 + 2j if dtype is np.complex64 else 1)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize(("for_a", "for_b"), list(itertools.product(FLAGS, FLAGS)))
def test_products(dtype, for_a, for_b):
    a = matrix(*((3, 4) if not for_a else (4, 3)), dtype, 0)
    b = matrix(*((4, 2) if not for_b else (2, 4)), dtype, 1)
    expected = FLAGS[for_a](a) @ FLAGS[for_b](b)
    flags = {f"{flag}_a": True for flag in for_a} | {f"{flag}_b": True for flag in for_b}
    sparse_a, sparse_b = csr.CSRSparseMatrix(a), csr.CSRSparseMatrix(b)
    both = csr.matmul(sparse_a, sparse_b, **flags)
    assert both.shape.as_list() == [3, 2]
    for found in (both.to_dense(), csr.matmul(sparse_a, b, **flags), csr.matmul(a, sparse_b, **flags),
                  csr.matmul(a, b, **flags)):
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_one_matrix(dtype):
    dense = matrix(3, 4, dtype, 2)
    sparse = csr.CSRSparseMatrix(dense)
    assert (sparse.shape.as_list(), sparse.dtype.as_numpy_dtype) == ([3, 4], dtype)
    assert int(sparse.nnz()) == np.count_nonzero(dense) == len(sparse.sorted_indices())
    for other, expected in ((sparse.conj(), dense.conj()), (sparse.transpose(), dense.T),
                            (sparse.hermitian_transpose(), dense.conj().T)):
        np.testing.assert_array_equal(other.to_dense(), expected)
    again = csr.CSRSparseMatrix(sparse.to_sparse_tensor())
    np.testing.assert_array_equal(again.to_dense(), dense)


def test_where_elements_are():
    assert csr.CSRSparseMatrix([[1.0, 2.0]], indices=[[0, 1]]).to_dense().numpy().tolist() == [[0.0, 2.0]]
    with pytest.raises(ValueError, match="indices must be None if value is a SparseTensor"):
        csr.CSRSparseMatrix(tf.sparse.from_dense([[1.0]]), indices=[[0, 0]])


def test_shapes_of_variants():
    with tf.Graph().as_default():
        sparse = csr.CSRSparseMatrix(tf.ones([3, 4]))
        assert csr.dense_shape_and_type(sparse._matrix) == (tf.TensorShape([3, 4]), tf.float32)
        with pytest.raises(ValueError, match="matrix has missing handle data"):
            csr.dense_shape_and_type(tf.compat.v1.placeholder(tf.variant))
    with pytest.raises(TypeError, match="matrix should be a tensor, but saw: 3"):
        csr.dense_shape_and_type(3)
    with pytest.raises(TypeError, match="expected matrix to be type tf.variant"):
        csr.dense_shape_and_type(tf.constant(1.0))
