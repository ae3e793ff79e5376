"""`tf.linalg.LinearOperatorIdentity` and `LinearOperatorScaledIdentity`: the identity matrix, and multiples of it.

It also has the base of operators given by sizes instead of numbers (`SizedOperator`): those of this module and the zero
operator.
"""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.linalg import diag as diagonals
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_min
from reflow.core import dtypes
from reflow.core.properties import read_only
from reflow.core.shapes import TensorShape
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


class SizedOperator(LinearOperator):
    """An operator whose constructor takes `num_rows`, and perhaps `batch_shape`. With `assert_proper_shapes` sizes that
    are unknown while a graph is built are checked when it runs."""

    _assert_proper_shapes: bool
    _batch_shape_arg = None

    def _size(self, value, name: str, rank: int = 0):
        """A size, or a list of them (`rank` 1), as a tensor that has been checked."""
        if isinstance(value, Variable):
            raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}.")
        size = batch.size_operand(value)
        if not size.dtype.is_integer:
            raise TypeError(f"Argument {name} must be integer type.  Found: {size}")
        known = arrange.get_static_value(size)
        if known is not None:
            if known.ndim != rank:
                raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {known}")
            if np.any(known < 0):
                raise ValueError(f"Argument {name} must be non-negative.  Found: {known}")
        elif self._assert_proper_shapes:
            checks = [
                asserts.assert_rank(size, rank, message=f"Argument {name} must be a {rank}-D Tensor."),
                asserts.assert_non_negative(size, message=f"Argument {name} must be non-negative."),
            ]
            return _after(checks, size)
        return size

    def _set_batch_shape(self, batch_shape):
        if batch_shape is not None:
            self._batch_shape_arg = self._size(batch_shape, "batch_shape", rank=1)

    def _static_batch(self) -> TensorShape:
        if self._batch_shape_arg is None:
            return TensorShape([])
        known = arrange.get_static_value(self._batch_shape_arg)
        if known is not None:
            return TensorShape(known.tolist())
        return (
            TensorShape([None] * self._batch_shape_arg.shape[0])
            if self._batch_shape_arg.shape.is_fully_defined()
            else TensorShape(None)
        )

    def _with_batch(self, *ends):
        """The batch shape with further sizes, as a tensor."""
        tail = arrange.stack([m.cast(end, dtypes.int32) for end in ends])
        if self._batch_shape_arg is None:
            return tail
        return arrange.concat([m.cast(self._batch_shape_arg, dtypes.int32), tail], 0)

    def _checked(self, x):
        """An argument whose rows are checked when the graph runs, if that was asked for."""
        if not self._assert_proper_shapes:
            return x
        check = asserts.assert_equal(
            arrange.shape(x)[-2],
            self.domain_dimension_tensor(),
            message="Dimensions are not compatible.  Shape[-2] of argument to be the same as this operator",
        )
        return _after([check], x)

    def _broadcast(self, x):
        """An argument with the batch axes of the operator."""
        if self._batch_shape_arg is None:
            return x
        ones = self.batch_shape.concatenate([1, 1])
        if ones.is_fully_defined():
            if arrange.broadcast_static_shape(x.shape, ones) == x.shape:
                return x
            return x + creation.zeros(ones, self.dtype)
        return x + creation.zeros(arrange.concat([self.batch_shape_tensor(), [1, 1]], 0), self.dtype)

    def _shorter_side(self):
        """The length of the diagonal: a number if it is known."""
        sides = self.domain_dimension.value, self.range_dimension.value
        return reduce_min(self.shape_tensor()[-2:]) if None in sides else min(sides)  # type: ignore[type-var]

    def _sliced_batch(self, slices):
        """The arguments of the operator of a part of the batch."""
        part = creation.ones([] if self._batch_shape_arg is None else self._batch_shape_arg)[slices]
        return self.parameters | {"batch_shape": arrange.shape(part)}


def _after(checks: list, value):
    """The value, once the checks have passed."""
    with control_dependencies([check for check in checks if check is not None]):
        return arrange.identity(value)


def same_size(num_rows, static=None) -> TensorShape:
    """The shape of square matrices with this many rows."""
    known = arrange.get_static_value(num_rows)
    size = None if known is None else int(known)
    return TensorShape([size, size])


@export("linalg.LinearOperatorIdentity")
@make_composite_tensor
class LinearOperatorIdentity(SizedOperator):
    """The operator of the unit matrix.

    Args:
      num_rows: how many rows, and columns, there are.
      batch_shape: the shape of the batch, if there is one.
      dtype: float32 if it is not given.
      assert_proper_shapes: whether sizes are checked when a graph runs.

    >>> operator = tf.linalg.LinearOperatorIdentity(num_rows=2, batch_shape=[3])
    >>> operator.shape, operator.trace().numpy().tolist()
    (TensorShape([3, 2, 2]), [2.0, 2.0, 2.0])
    """

    def __init__(
        self, num_rows, batch_shape=None, dtype=None, is_non_singular=True, is_self_adjoint=True,
        is_positive_definite=True, is_square=True, assert_proper_shapes=False, name="LinearOperatorIdentity",
    ):
        self._assert_proper_shapes = assert_proper_shapes
        hints = {
            "self adjoint": is_self_adjoint,
            "non-singular": is_non_singular,
            "positive-definite": is_positive_definite,
            "square": is_square,
        }
        for text, hint in hints.items():
            if not hint:
                raise ValueError(f"An identity operator is always {text}.")
        super().__init__(dtype or dtypes.float32, None, True, True, True, True, name)
        self._num_rows = self._size(num_rows, "num_rows")
        self._set_batch_shape(batch_shape)

    def _shape(self):
        return self._static_batch().concatenate(same_size(self._num_rows))

    def _shape_tensor(self):
        return self._with_batch(self._num_rows, self._num_rows)

    def _linop_inverse(self):
        return self

    def _linop_cholesky(self):
        return LinearOperatorIdentity(self._num_rows, self._batch_shape_arg, self.dtype)

    _assert_non_singular = batch.always("assert_non_singular")
    _assert_positive_definite = batch.always("assert_positive_definite")
    _assert_self_adjoint = batch.always("assert_self_adjoint")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._broadcast(self._checked(batch.turned(x, adjoint_arg)))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return self._filled(creation.ones)

    def _log_abs_determinant(self):
        return self._filled(creation.zeros)

    def _trace(self):
        return m.cast(self._shorter_side(), self.dtype) * self._filled(creation.ones)

    def _diag_part(self):
        return self._filled(creation.ones, self._shorter_side())

    _eigvals = _diag_part

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The sum of the unit matrix and a tensor."""
        with self._name_scope(name):
            mat = convert_to_tensor(mat, name="mat")
            return diagonals.set_diag(mat, 1 + diagonals.diag_part(mat))

    def _cond(self):
        return self._filled(creation.ones)

    def __getitem__(self, slices):
        return LinearOperatorIdentity(**self._sliced_batch(slices))

    _composite_tensor_fields = ("num_rows", "batch_shape", "dtype", "assert_proper_shapes")
    _composite_tensor_prefer_static_fields = ("num_rows", "batch_shape")


@export("linalg.LinearOperatorScaledIdentity")
@make_composite_tensor
class LinearOperatorScaledIdentity(SizedOperator):
    """The operator of a multiple of the unit matrix.

    Args:
      num_rows: how many rows, and columns, there are.
      multiplier: the number on the diagonal; its shape is that of the batch.
      assert_proper_shapes: whether sizes are checked when a graph runs.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, multiplier=3.0).to_dense().numpy().tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """

    def __init__(
        self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
        is_square=True, assert_proper_shapes=False, name="LinearOperatorScaledIdentity",
    ):
        self._assert_proper_shapes = assert_proper_shapes
        self._multiplier = batch.parameter(multiplier, "multiplier")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        super().__init__(
            self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )
        self._num_rows = self._size(num_rows, "num_rows")

    multiplier = read_only("_multiplier", "The number on the diagonal.")

    def _shape(self):
        return self._multiplier.shape.concatenate(same_size(self._num_rows))

    def _shape_tensor(self):
        rows = m.cast(self._num_rows, dtypes.int32)
        return arrange.concat([arrange.shape(self._multiplier), arrange.stack([rows, rows])], 0)

    def _assert_non_singular(self):
        return asserts.assert_positive(unary.abs(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self):
        return asserts.assert_positive(
            unary.real(self._multiplier), message="LinearOperator was not positive definite."
        )

    def _assert_self_adjoint(self):
        imaginary = unary.imag(self._multiplier)
        return asserts.assert_equal(
            creation.zeros_like(imaginary), imaginary, message="LinearOperator was not self-adjoint"
        )

    def _like(self, multiplier, **hints):
        return LinearOperatorScaledIdentity(self._num_rows, multiplier, **self._all_hints(is_square=True, **hints))

    def _linop_adjoint(self):
        return self._like(unary.conj(self._multiplier))

    def _linop_inverse(self):
        return self._like(1.0 / self._multiplier)

    def _linop_cholesky(self):
        return self._like(
            unary.sqrt(self._multiplier), is_non_singular=True, is_self_adjoint=True, is_positive_definite=True
        )

    def _factor(self, axes: int, adjoint: bool = False):
        """The multiplier with further axes of size 1."""
        factor = unary.conj(self._multiplier) if adjoint else convert_to_tensor(self._multiplier)
        return factor[(..., *[None] * axes)]

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._checked(batch.turned(x, adjoint_arg)) * self._factor(2, adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._checked(batch.turned(rhs, adjoint_arg)) / self._factor(2, adjoint)

    def _determinant(self):
        return self._multiplier ** m.cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self):
        size = unary.log(unary.abs(self._multiplier))
        return m.cast(self._num_rows, size.dtype) * size

    def _trace(self):
        return self._multiplier * m.cast(self._shorter_side(), self.dtype)

    def _diag_part(self):
        return self._filled(creation.ones, self._shorter_side()) * self._factor(1)

    _eigvals = _diag_part

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The sum of the matrix and a tensor."""
        with self._name_scope(name):
            mat = convert_to_tensor(mat, name="mat")
            return diagonals.set_diag(mat, self._factor(1) + diagonals.diag_part(mat))

    def _cond(self):
        undefined, one = (m.cast(number, self.dtype) for number in (np.nan, 1.0))
        return m.where(m.equal(self._multiplier, m.cast(0.0, self.dtype)), undefined, one)

    _composite_tensor_fields = ("num_rows", "multiplier", "assert_proper_shapes")
    _composite_tensor_prefer_static_fields = ("num_rows",)
    _experimental_parameter_ndims_to_matrix_ndims = {"multiplier": 0}
