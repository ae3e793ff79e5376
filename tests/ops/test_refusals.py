"""Shapes and values that TensorFlow's kernels and shape functions refuse, in its words: eagerly, and while a graph is
built.

A case is a call, what the error says eagerly, and what it says in a function (None: it runs there, or nothing is
refused).
"""

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from reflow.ops.objections import deliberate

raw = tf.raw_ops


def ones(*dims, dtype=tf.float32):
    return tf.ones(dims, dtype)


def einsum(equation, *shapes):
    return lambda: raw.Einsum(inputs=[ones(*s) for s in shapes], equation=equation)


def tridiagonal(diagonals, rhs, **options):
    return lambda: raw.TridiagonalSolve(diagonals=ones(*diagonals), rhs=ones(*rhs), **options)


def banded(matrix, rhs):
    return lambda: raw.BandedTriangularSolve(matrix=ones(*matrix), rhs=ones(*rhs))


def integers(*values):
    return np.array(values, np.int64)


def fractional(value, ratio):
    return lambda: raw.FractionalMaxPool(value=value, pooling_ratio=ratio)


def maximum_back(rows, columns):
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    y = np.array([5, 7, 13, 15], np.float32).reshape(1, 2, 2, 1)
    return lambda: raw.FractionalMaxPoolGrad(
        orig_input=x, orig_output=y, out_backprop=y, row_pooling_sequence=rows, col_pooling_sequence=columns)


def average_back(rows, columns):
    return lambda: raw.FractionalAvgPoolGrad(
        orig_input_tensor_shape=integers(1, 4, 4, 1), out_backprop=ones(1, 2, 2, 1), row_pooling_sequence=rows,
        col_pooling_sequence=columns)


QUANTIZED = tf.quantization.quantize([[0.0, 1.0]], 0.0, 1.0, tf.quint8)[0]
CASES = {
    "einsum, lost ellipsis": (
        einsum("...ij,...jk->ik", (2, 2, 3), (3, 4)), "Output contains 1 broadcasting", "without ellipsis"
    ),
    "einsum, no arrow": (einsum("ij,jk", (2, 3), (3, 4)), "Expecting exactly one '->'", "Expecting exactly one '->'"),
    "einsum, too few": (einsum("ij,jk->ik", (2, 3)), "Expected 2 inputs but got: 1", "Expected 2 inputs for equation"),
    "einsum, new label": (einsum("ij->ik", (2, 3)), None, "has label 'k' which is not present"),
    "tridiagonal, rank": (tridiagonal((5, 3, 4), (4, 5)), "the same rank", "Shapes must be equal rank"),
    "tridiagonal, rows": (
        tridiagonal((5, 4, 4), (5, 4, 1)), "a matrix with 3 rows, got 4", "Dimension must be 3 but is 4"
    ),
    "tridiagonal, batch": (tridiagonal((5, 3, 4), (3, 4, 1)), "same outer dimensions", "Dimension 0 in both shapes"),
    "tridiagonal, size": (tridiagonal((3, 4), (3, 1)), "left-hand sides and right-hand sides, got 4 and 3", "4 and 3"),
    "banded, sizes": (
        banded((2, 2), (1, 2)), "In[0] mismatch In[1] shape: 2 vs. 1", "Dimensions must be equal, but are 2 and 1"
    ),
    "banded, rank": (banded((3,), (3, 1)), "In[0] ndims must be >= 2: 1", "at least rank 2 but is rank 1"),
    "banded, no bands": (banded((0, 3), (3, 1)), "must not be an empty tensor", "Number of bands must be positive"),
    "banded, many bands": (banded((6, 4), (4, 2)), None, "Number of bands 6 cannot exceed the size of the matrix 4"),
    "roll, scalar": (
        lambda: raw.Roll(input=1.0, shift=1, axis=0), "input must be 1-D or higher", "at least rank 1 but is rank 0"
    ),
    "roll, axis": (lambda: raw.Roll(input=ones(3), shift=1, axis=-2), "axis -1 is out of range", None),
    "roll, sizes": (
        lambda: raw.Roll(input=ones(3, 3), shift=[1, 2], axis=[0]), "must have the same size", "are 2 and 1"
    ),
    "diagonal, scalar": (lambda: raw.MatrixDiag(diagonal=1.0), "diagonal must be at least 1-dim", "at least rank 1"),
    "diagonal part": (lambda: raw.DiagPart(input=ones(2, 3)), "dimensions 0 and 1 do not match", None),
    "transpose": (
        lambda: raw.Transpose(x=ones(2, 3), perm=[[0, 1]]), "perm must be rank 1, got shape [1,2]", "must be rank 1"
    ),
    "pad": (
        lambda: raw.Pad(input=ones(1, 2), paddings=[[1], [2]]), "must be a matrix with 2 columns: [2,1]",
        "must be 2 but is 1",
    ),
    "tile": (
        lambda: raw.Tile(input=ones(2), multiples=3), "multiples to be 1-D, but got shape []",
        "must be rank 1 but is rank 0",
    ),
    "concat, axis": (lambda: raw.ConcatV2(values=[ones(2), ones(2)], axis=[0]), None, "must be rank 0 but is rank 1"),
    "segments": (
        lambda: raw.UnsortedSegmentSum(data=ones(2), segment_ids=[0, 1], num_segments=[2]),
        "num_segments should be a scalar, not shape [1]", "must be rank 0 but is rank 1",
    ),
    "scatter, empty": (
        lambda: raw.ScatterNd(indices=[[0, 0]], updates=ones(1, 2), shape=[0, 3, 2]),
        "Indices and updates specified for empty output", "Indices and updates specified for empty input",
    ),
    "scatter, add": (
        lambda: raw.ScatterNdNonAliasingAdd(input=ones(3, 2), indices=[[0], [1]], updates=ones(2, 3)),
        "Dimensions [1,2) of input[shape=[3,2]]", "must match dimensions [1,2) of updates",
    ),
    "sparse to dense": (
        lambda: raw.SparseToDense(sparse_indices=[1], output_shape=5, sparse_values=1.0, default_value=0.0),
        "output_shape must be rank 1, got shape []", "must be rank 1 but is rank 0",
    ),
    "filter sizes": (
        lambda: raw.Conv3DBackpropFilterV2(
            input=ones(1, 2, 2, 2, 1), filter_sizes=1, out_backprop=ones(1, 2, 2, 2, 1), strides=[1] * 5,
            padding="SAME",
        ),
        "filter_sizes shape must be rank 1 but is rank 0", "must be rank 1 but is rank 0",
    ),
    "filter gradient": (
        lambda: raw.Conv3DBackpropFilterV2(
            input=ones(2, 2, 2, 1), filter_sizes=[1] * 5, out_backprop=ones(1, 2, 2, 2, 1), strides=[1] * 5,
            padding="SAME",
        ),
        "input must be 5-dimensional", None,
    ),
    "fractional, ratio": (
        fractional(ones(1, 1, 1, 4), [1.0, 1.44, 1.73, 1.0]), "higher than input dimension size for dimension 1", None
    ),
    "fractional, small": (
        fractional(ones(1, 4, 4, 1), [1.0, 0.5, 1.0, 1.0]), "cannot be smaller than 1, got: 0.5", "got: 0.5"
    ),
    "fractional, length": (
        fractional(ones(1, 4, 4, 1), [1.0] * 5), "must specify 4 dimensions", "must specify 4 dimensions"
    ),
    "fractional, scalar": (
        maximum_back(integers(0, 2, 4)[0], integers(0, 2, 4)), "row_pooling_sequence must be a vector", None
    ),
    "fractional, other": (maximum_back(integers(0, 0, 0), integers(0, 2, 4)), "is not the same as tensor_out", None),
    "fractional, negative": (
        average_back(integers(0, 2, 4), integers(0, -2, 4)), "Column sequence tensor values must not", None
    ),
    "fractional, short": (
        average_back(integers(0, 4), integers(0, 2, 4)), "must have at least 3 elements, but got 2", None
    ),
    "fake quant": (
        lambda: raw.FakeQuantWithMinMaxVars(inputs=ones(2), min=[0.0], max=1.0), "must be rank 0", "must be rank 0"
    ),
    "fake quant, channels": (
        lambda: raw.FakeQuantWithMinMaxVarsPerChannel(inputs=ones(3, 1), min=[0.0, 0.1], max=[1.0]),
        "min has incorrect size, expected 1 was 2", "Dimensions must be equal",
    ),
    "quantized sum": (
        lambda: raw.QuantizedAdd(
            x=QUANTIZED, y=QUANTIZED, min_x=[], max_x=1.0, min_y=0.0, max_y=1.0, Toutput=tf.qint32
        ),
        "`min_x` must be rank 0 but is rank 1", None,
    ),
    "quantized bias": (
        lambda: raw.QuantizedBiasAdd(
            input=QUANTIZED, bias=QUANTIZED[0], min_input=0.0, max_input=[], min_bias=0.0, max_bias=1.0,
            out_type=tf.qint32,
        ),
        "`max_input` must be rank 0 but is rank 1", None,
    ),
    "quantize, bits": (
        lambda: raw.QuantizeAndDequantizeV3(input=ones(2), input_min=0.0, input_max=1.0, num_bits=[8]),
        "The `num_bits` tensor should be a scalar", "must be rank 0 but is rank 1",
    ),
    "quantize, axis": (
        lambda: raw.QuantizeAndDequantizeV3(input=ones(1), input_min=0.0, input_max=[1.0], num_bits=8, axis=0),
        "must be rank 1 for input_min_tensor", "must be rank 1 but is rank 0",
    ),
    "sparse concat": (
        lambda: tf.sparse.concat(1, [tf.SparseTensor([[0, 0]], [1.0], [0, 1])] * 2), "dense shape has zero volume",
        None,
    ),
    "banded, singular": (
        lambda: raw.BandedTriangularSolve(matrix=[[1.0, 0.0]], rhs=[[1.0], [1.0]]), "is not invertible", None
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1]])
def test_refused_eagerly(name):
    call, eagerly, _ = CASES[name]
    with pytest.raises(errors.InvalidArgumentError) as caught:
        call()
    assert eagerly in str(caught.value)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2]])
def test_refused_while_a_graph_is_built(name):
    call, _, traced = CASES[name]
    with pytest.raises(ValueError) as caught:
        tf.function(call).get_concrete_function()
    assert traced in str(caught.value)


def test_a_singular_tridiagonal_matrix_gives_nan():
    """TensorFlow's CPU kernel refuses none."""
    rhs = tf.constant([[1.0], [4.0]])
    for pivoting in (True, False):
        found = raw.TridiagonalSolve(diagonals=[[3.0, 0.0], [1.0, 3.0], [0.0, 1.0]], rhs=rhs, partial_pivoting=pivoting)
        assert np.isnan(found).all()
        assert np.isnan(
            raw.TridiagonalSolve(diagonals=[[0.0], [0.0], [0.0]], rhs=[[2.0]], partial_pivoting=pivoting)
        ).all()
    with pytest.raises(errors.UnimplementedError):
        raw.TridiagonalSolve(diagonals=[[3.0, 0.0], [1.0, 3.0], [0.0, 1.0]], rhs=rhs, perturb_singular=True)


def test_tridiagonal_elimination_without_pivoting():
    diagonals = np.array([[1.0, 2, 0], [4, 5, 6], [0, 1, 2]])
    rhs = np.array([[1.0, 2], [3, 4], [5, 6]])
    found = [raw.TridiagonalSolve(diagonals=diagonals, rhs=rhs, partial_pivoting=p).numpy() for p in (True, False)]
    np.testing.assert_allclose(*found)
    zero = [[2.0, 0.0], [0.0, 3.0], [0.0, 1.0]]
    assert np.isnan(raw.TridiagonalSolve(diagonals=zero, rhs=[[1.0], [4.0]], partial_pivoting=False)).all()


def test_only_our_own_words_are_deliberate():
    def caught(function):
        try:
            function()
        except Exception as error:
            return error
        raise AssertionError("nothing was raised")

    assert not deliberate(caught(lambda: np.ones(3) + np.ones(2)))
    assert not deliberate(caught(lambda: list(zip([1], [], strict=True))))
    assert not deliberate(ValueError("never raised"))
    assert deliberate(caught(lambda: tf.TensorShape([2]).assert_is_compatible_with([3])))


def test_scattered_strings_that_meet_are_joined():
    assert tf.scatter_nd([[1], [1], [0]], ["a", "b", "c"], [3]).numpy().tolist() == [b"c", b"ab", b""]


def test_sparse_concat_knows_its_rank_from_any_input():
    def joined(a, b):
        return raw.SparseConcat(
            indices=[a, b], values=[[1.0], [1.0]], shapes=[[2, 2], tf.identity(integers(2, 2))], concat_dim=0
        )

    specs = [tf.TensorSpec(None, tf.int64), tf.TensorSpec([1, 2], tf.int64)]
    concrete = tf.function(joined).get_concrete_function(*specs)
    assert concrete.output_shapes[0].as_list() == [None, 2]
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.function(joined).get_concrete_function(specs[1], tf.TensorSpec([1, 3], tf.int64))
