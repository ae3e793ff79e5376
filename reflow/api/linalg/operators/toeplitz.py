"""`tf.linalg.LinearOperatorToeplitz`: a matrix with constant diagonals."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.circulant import LinearOperatorCirculant
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.math import arithmetic as m
from reflow.api.signal.fft import fft
from reflow.core.properties import read_only
from reflow.ops.convert import convert_to_tensor


@export("linalg.LinearOperatorToeplitz")
@make_composite_tensor
class LinearOperatorToeplitz(LinearOperator):
    """The operator of a Toeplitz matrix; products are computed by Fourier transforms.

    Args:
      col: the first column, in the last axis.
      row: the first row; its first number is not used.

    >>> tf.linalg.LinearOperatorToeplitz(col=[1.0, 2.0, 3.0], row=[1.0, 5.0, 6.0]).to_dense().numpy().tolist()
    [[1.0, 5.0, 6.0], [2.0, 1.0, 5.0], [3.0, 2.0, 1.0]]
    """

    def __init__(
        self, col, row, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name="LinearOperatorToeplitz",
    ):
        self._row, self._col = batch.parameter(row, "row"), batch.parameter(col, "col")
        for what, x in (("row", self._row), ("col", self._col)):
            if x.shape.rank == 0:
                raise ValueError(f"Argument {what} must have at least 1 dimension.  Found: {x}")
        if None not in (self._row.shape.rank, self._col.shape.rank):
            ends = self._row.shape[-1], self._col.shape[-1]
            if None not in ends and ends[0] != ends[1]:
                raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    col = read_only("_col", "The first column.")
    row = read_only("_row", "The first row.")

    def _shape(self):
        shape = arrange.broadcast_static_shape(self._row.shape, self._col.shape)
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = arrange.broadcast_dynamic_shape(arrange.shape(self._row), arrange.shape(self._col))
        return arrange.concat([shape, shape[-1:]], 0)

    def _vectors(self):
        """Row and column with the same batch axes."""
        parts = batch.same_batch([convert_to_tensor(v)[..., None] for v in (self._row, self._col)])
        return [part[..., 0] for part in parts]

    def _assert_self_adjoint(self):
        return asserts.assert_equal(
            self._row, self._col, message="row and col are not the same, and so this operator is not self-adjoint."
        )

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        # the matrix is a quarter of a circulant one of twice its size, which multiplies x with as many zeros below it
        x = batch.turned(x, adjoint_arg)
        row, col = self._vectors()
        first = arrange.concat([col, creation.zeros_like(col[..., :1]), arrange.reverse(row[..., 1:], [-1])], -1)
        circulant = LinearOperatorCirculant(fft(batch.to_complex(first)), input_output_dtype=self.dtype)
        product = circulant.matmul(arrange.concat([x, creation.zeros_like(x)], -2), adjoint=adjoint)
        size = self.domain_dimension.value
        return product[..., : self.domain_dimension_tensor() if size is None else size, :]

    def _trace(self):
        return m.cast(self.domain_dimension_tensor(), self.dtype) * self._vectors()[1][..., 0]

    def _diag_part(self):
        col = self._vectors()[1]
        return col[..., :1] * creation.ones_like(col)

    def _to_dense(self):
        row, col = self._vectors()
        size = self.domain_dimension.value
        size = self.domain_dimension_tensor() if size is None else size
        numbers = arrange.concat([arrange.reverse(col, [-1]), row[..., 1:]], -1)
        places = creation.range(0, size) + creation.range(size - 1, -1, -1)[:, None]
        return indexing.gather(numbers, places, axis=-1)

    _composite_tensor_fields = ("col", "row")
    _experimental_parameter_ndims_to_matrix_ndims = {"col": 1, "row": 1}
