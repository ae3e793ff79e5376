"""`tf.linalg.LinearOperatorFullMatrix`: a matrix without special structure."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.linalg.products import matmul
from reflow.core import dtypes
from reflow.core.properties import read_only
from reflow.ops.convert import convert_to_tensor

_ALLOWED = [dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128]


@export("linalg.LinearOperatorFullMatrix")
@make_composite_tensor
class LinearOperatorFullMatrix(LinearOperator):
    """The operator of a dense matrix.

    Args:
      matrix: a tensor of two or more axes; the last two are those of the matrix.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy().tolist()
    [3.0, 7.0]
    """

    def __init__(
        self, matrix, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name="LinearOperatorFullMatrix",
    ):
        self._matrix = batch.parameter(matrix, "matrix")
        if self._matrix.dtype not in _ALLOWED:
            raise TypeError(f"Argument `matrix` must have dtype in {_ALLOWED}. Received: {self._matrix.dtype}.")
        if self._matrix.shape.rank is not None and self._matrix.shape.rank < 2:
            raise ValueError(f"Argument `matrix` must have at least 2 dimensions. Received: {self._matrix}.")
        super().__init__(
            self._matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    matrix = read_only("_matrix", "The matrix.")

    def _shape(self):
        return self._matrix.shape

    def _shape_tensor(self):
        return arrange.shape(self._matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self):
        return convert_to_tensor(self._matrix)

    _composite_tensor_fields = ("matrix",)
    _experimental_parameter_ndims_to_matrix_ndims = {"matrix": 2}
