"""`tf.linalg.LinearOperatorZeros`: the matrix of zeros."""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.export import export
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.identity import SizedOperator
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError


@export("linalg.LinearOperatorZeros")
@make_composite_tensor
class LinearOperatorZeros(SizedOperator):
    """The operator that maps everything to zero.

    Args:
      num_rows: how many rows there are.
      num_columns: how many columns; as many as rows if it is not given.
      batch_shape: the shape of the batch, if there is one.
      dtype: float32 if it is not given.
      assert_proper_shapes: whether sizes are checked when a graph runs.

    >>> tf.linalg.LinearOperatorZeros(2).matvec([1.0, 2.0]).numpy().tolist()
    [0.0, 0.0]
    """

    def __init__(
        self, num_rows, num_columns=None, batch_shape=None, dtype=None, is_non_singular=False, is_self_adjoint=True,
        is_positive_definite=False, is_square=True, assert_proper_shapes=False, name="LinearOperatorZeros",
    ):
        self._assert_proper_shapes = assert_proper_shapes
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        super().__init__(
            dtype or dtypes.float32, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )
        self._num_rows = self._size(num_rows, "num_rows")
        self._num_columns = self._num_rows if num_columns is None else self._size(num_columns, "num_columns")
        rows, columns = (arrange.get_static_value(n) for n in (self._num_rows, self._num_columns))
        if is_square and rows is not None and columns is not None and rows != columns:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows({rows}) != num_columns({columns})"
            )
        self._set_batch_shape(batch_shape)

    def _shape(self):
        known = [arrange.get_static_value(n) for n in (self._num_rows, self._num_columns)]
        return self._static_batch().concatenate([None if n is None else int(n) for n in known])

    def _shape_tensor(self):
        return self._with_batch(self._num_rows, self._num_columns)

    def _assert_non_singular(self):
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self):
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    _assert_self_adjoint = batch.always("assert_self_adjoint")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = self._checked(batch.turned(x, adjoint_arg))
        if not self.is_square:
            sizes = arrange.shape(x)
            rows = self._num_columns if adjoint else self._num_rows
            return self._broadcast(creation.zeros(batch.joined(sizes[:-2], [rows, sizes[-1]]), x.dtype))
        return self._broadcast(creation.zeros_like(x))

    def _determinant(self):
        return self._filled(creation.zeros)

    _trace = _determinant

    def _diag_part(self):
        return self._filled(creation.zeros, self._shorter_side())

    _eigvals = _diag_part

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The tensor itself, with the operator's batch axes."""
        with self._name_scope(name):
            return self._broadcast(batch.parameter(mat, "mat"))

    def __getitem__(self, slices):
        return LinearOperatorZeros(**self._sliced_batch(slices))

    _composite_tensor_fields = ("num_rows", "num_columns", "batch_shape", "dtype", "assert_proper_shapes")
    _composite_tensor_prefer_static_fields = ("num_rows", "num_columns", "batch_shape")
