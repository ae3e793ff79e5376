"""`tf.linalg.LinearOperator`: a batch of matrices defined by their action.

A subclass defines its shape (`_shape`, `_shape_tensor`) and its product (`_matmul`); all other methods follow from
these, through the dense matrix. It overrides those that its structure makes cheaper: `_solve`, `_determinant`,
`_diag_part`… The public methods convert and check arguments, open a name scope, and call the method with the
underscore.

An operator is a `tf.Module` (its variables are found) and a composite tensor (functions accept and return it, see
`spec.py`). Products and quotients of operators are operators again (`algebra.py`).
"""

from __future__ import annotations

import abc
import contextlib
import functools
import inspect

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.linalg import solve as solvers
from reflow.api.linalg.diag import adjoint as matrix_adjoint
from reflow.api.linalg.diag import diag_part as matrix_diag_part
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.hints import Hints, implied
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_max, reduce_min, reduce_sum
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.name_scope import name_scope
from reflow.core.properties import read_only
from reflow.core.shapes import Dimension, TensorShape
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


@functools.cache
def _signature(cls: type) -> inspect.Signature:
    return inspect.signature(cls.__init__)  # type: ignore[misc]


@export("linalg.LinearOperator")
class LinearOperator(Module, metaclass=abc.ABCMeta):
    """Base of linear operators: batches of matrices with products, solutions, determinants and traces.

    A subclass defines `_shape`, `_shape_tensor` and `_matmul`, and whatever it can do faster than the dense matrix can.

    Args:
      dtype: the dtype of the matrix and of what it multiplies.
      graph_parents: not used any more; a list of tensors.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known about the matrix, or None.
      name: a name for the operator's ops.
      parameters: the arguments of the subclass' constructor; found out if they are not given.

    Raises:
      ValueError: if the hints contradict each other.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> isinstance(operator, tf.linalg.LinearOperator), operator.shape
    (True, TensorShape([2, 2]))
    >>> operator.matvec([3.0, 3.0]).numpy().tolist()
    [3.0, 6.0]
    """

    _is_composite = True
    _is_linear_operator = True
    _parameters: dict
    _hints: Hints
    _TF_MODULE_IGNORED_PROPERTIES = Module._TF_MODULE_IGNORED_PROPERTIES | {"_parameters"}

    def __new__(cls, *args, **kwargs):
        operator = super().__new__(cls)
        bound = _signature(cls).bind_partial(operator, *args, **kwargs)
        bound.apply_defaults()
        # bypasses Module's attribute tracking: these are not children of the operator
        object.__setattr__(operator, "_parameters", dict(list(bound.arguments.items())[1:]))
        return operator

    def __init__(
        self, dtype, graph_parents=None, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
        is_square=None, name=None, parameters=None,
    ):
        hints = implied(Hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square))
        for i, parent in enumerate(graph_parents or ()):
            if not (arrange.is_tensor(parent) or isinstance(parent, Variable)):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        self._graph_parents = list(graph_parents or ())
        object.__setattr__(self, "_hints", hints)  # a tuple, but not a child of the operator
        self._dtype = dtypes.as_dtype(dtype) if dtype else dtype
        self._name = name or type(self).__name__
        if parameters is not None:
            object.__setattr__(self, "_parameters", dict(parameters))

    @contextlib.contextmanager
    def _name_scope(self, name=None):
        """The scope of a method's ops: `operator/method`, or `operator` without a name."""
        if state.graph is None:
            yield ""
        else:
            with name_scope(self.name if name is None else f"{self.name}/{name}") as scope:
                yield scope

    # --- what is known

    @property
    def parameters(self) -> dict:
        """The arguments with which the operator was made."""
        return dict(self._parameters)

    dtype = read_only("_dtype", "The dtype of the matrix.")
    graph_parents = read_only("_graph_parents", "The tensors that the constructor was told of.")
    is_non_singular = read_only(
        "_hints.is_non_singular", "Whether the matrix can be inverted; None if that is not known."
    )
    is_self_adjoint = read_only(
        "_hints.is_self_adjoint", "Whether the matrix is its own adjoint; None if that is not known."
    )
    is_positive_definite = read_only(
        "_hints.is_positive_definite",
        "Whether the real part of `x^H A x` is positive for every x that is not 0; None if that is not known.",
    )

    @property
    def is_square(self):
        """Whether the matrix has as many rows as columns; None if that is not known."""
        same = self.domain_dimension == self.range_dimension
        if self._hints.is_square is False and same:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return same if self._hints.is_square is None else self._hints.is_square

    def _can_use_cholesky(self):
        return self.is_self_adjoint and self.is_positive_definite

    # --- shapes

    @abc.abstractmethod
    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self):
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix with its batch axes, as far as it is known."""
        return self._shape()

    def shape_tensor(self, name="shape_tensor"):
        """The shape as an int32 tensor."""
        with self._name_scope(name):
            return (
                convert_to_tensor(self.shape.as_list(), dtypes.int32)
                if self.shape.is_fully_defined()
                else self._shape_tensor()
            )

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without the last two axes."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The batch shape as an int32 tensor."""
        with self._name_scope(name):
            known = self.batch_shape
            return (
                convert_to_tensor(known.as_list(), dtypes.int32)
                if known.is_fully_defined()
                else self.shape_tensor()[:-2]
            )

    tensor_rank = read_only("shape.rank", "The number of axes of the matrix and its batch.")

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        """The number of axes as an int32 tensor."""
        with self._name_scope(name):
            rank = self.tensor_rank
            return arrange.size(self.shape_tensor()) if rank is None else convert_to_tensor(rank)

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        return self._dimension(-1)

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        return self._dimension(-2)

    def _dimension(self, axis: int) -> Dimension:
        dims = self.shape.dims
        return dims[axis] if dims else Dimension(None)

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        """The number of columns as a scalar tensor."""
        with self._name_scope(name):
            return self._dimension_tensor(-1)

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        """The number of rows as a scalar tensor."""
        with self._name_scope(name):
            return self._dimension_tensor(-2)

    def _dimension_tensor(self, axis: int):
        known = self._dimension(axis).value
        return self.shape_tensor()[axis] if known is None else convert_to_tensor(known)

    def _batch_sizes(self):
        """The batch shape: static if it is known."""
        return self.batch_shape if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()

    def _filled(self, function, *tail):
        """A tensor of ones or zeros (`function`) of the batch shape and further sizes."""
        return function(batch.joined(self._batch_sizes(), list(tail)), dtype=self.dtype)

    # --- checks of the hints

    def assert_non_singular(self, name="assert_non_singular"):
        """An op that fails if the matrix is singular, up to the precision of its dtype."""
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_non_singular(self):
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        sizes = [
            m.cast(n, self.dtype.real_dtype) for n in (self.range_dimension_tensor(), self.domain_dimension_tensor())
        ]
        eps = float(np.finfo(self.dtype.np_dtype).eps)
        limit = 1.0 / (reduce_max([m.cast(100.0, self.dtype.real_dtype), *sizes]) * eps)
        values = solvers.svd(self.to_dense(), compute_uv=False)
        ratio = reduce_max(values, -1) / reduce_min(values, -1)
        return asserts.assert_less(ratio, limit, message="Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name="assert_positive_definite"):
        """An op that fails if the matrix is not positive definite."""
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_positive_definite(self):
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        roots = unary.real(matrix_diag_part(solvers.cholesky(self.to_dense())))
        return asserts.assert_positive(roots, message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """An op that fails if the matrix differs from its adjoint."""
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _assert_self_adjoint(self):
        dense = self.to_dense()
        return asserts.assert_equal(dense, matrix_adjoint(dense), message="Matrix was not equal to its adjoint.")

    # --- products

    @abc.abstractmethod
    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        raise NotImplementedError("_matmul is not implemented.")

    def _argument(self, x, name: str, own_axis: int, axis: int):
        """An argument as a tensor; an error if its dtype or the size of its axis does not fit the matrix."""
        x = convert_to_tensor(x, name=name)
        self._check_input_dtype(x)
        if x.shape.rank is not None:
            self._dimension(own_axis).assert_is_compatible_with(x.shape[axis])
        return x

    def _check_input_dtype(self, x):
        if dtypes.as_dtype(x.dtype) is not self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {x.dtype} in tensor {x}")

    def _pair(self, other, adjoint: bool, adjoint_arg: bool, name: str):
        """Both operators of a product, adjoint where asked; ValueError if their inner sizes differ."""
        left, right = self.adjoint() if adjoint else self, other.adjoint() if adjoint_arg else other
        if right.range_dimension != left.domain_dimension and None not in (
            right.range_dimension.value,
            left.domain_dimension.value,
        ):
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {left.domain_dimension} but got "
                f"{right.range_dimension}."
            )
        return left, right

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product of the matrix, or of its adjoint, with `x`, or with its adjoint.

        `x` is a tensor of matrices, or an operator: then the product is one too.
        """
        if isinstance(x, LinearOperator):
            left, right = self._pair(x, adjoint, adjoint_arg, "x")
            with self._name_scope(name):
                return left._linop_matmul(left, right)
        with self._name_scope(name):
            x = self._argument(x, "x", -2 if adjoint else -1, -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other):
        return self.matmul(other)

    def _linop_matmul(self, left_operator, right_operator):
        from reflow.api.linalg.operators import algebra

        return algebra.product(left_operator, right_operator)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product with a batch of vectors."""
        with self._name_scope(name):
            return self._matvec(self._argument(x, "x", -2 if adjoint else -1, -1), adjoint=adjoint)

    def _matvec(self, x, adjoint=False):
        return arrange.squeeze(self.matmul(arrange.expand_dims(x, -1), adjoint=adjoint), -1)

    # --- solutions

    def _check_solvable(self):
        for hint, what in ((self.is_non_singular, "be singular"), (self.is_square, "not be square")):
            if hint is False:
                raise NotImplementedError(f"Exact solve not implemented for an operator that is expected to {what}.")

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The `x` with `A x = rhs`, for the matrix or its adjoint; `rhs` is a tensor or an operator.

        Raises:
          NotImplementedError: if the operator is known to be singular or not square.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._pair(rhs, adjoint, adjoint_arg, "rhs")
            with self._name_scope(name):
                return left._linop_solve(left, right)
        with self._name_scope(name):
            rhs = self._argument(rhs, "rhs", -1 if adjoint else -2, -1 if adjoint_arg else -2)
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _dense_solve(self, rhs, adjoint=False, adjoint_arg=False):
        if self.is_square is False:
            raise NotImplementedError("Solve is not yet implemented for non-square operators.")
        rhs = batch.turned(rhs, adjoint_arg)
        if self._can_use_cholesky():
            return batch.cholesky_solve(solvers.cholesky(self.to_dense()), rhs)
        return batch.solve(self.to_dense(), rhs, adjoint=adjoint)

    def _linop_solve(self, left_operator, right_operator):
        from reflow.api.linalg.operators import algebra

        return algebra.quotient(left_operator, right_operator)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The solution for a batch of vectors."""
        with self._name_scope(name):
            return self._solvevec(self._argument(rhs, "rhs", -1 if adjoint else -2, -1), adjoint=adjoint)

    def _solvevec(self, rhs, adjoint=False):
        return arrange.squeeze(self.solve(arrange.expand_dims(rhs, -1), adjoint=adjoint), -1)

    # --- other operators

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator of the adjoint matrix."""
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return self._linop_adjoint()

    H = property(adjoint, None)

    def _linop_adjoint(self) -> LinearOperator:
        from reflow.api.linalg.operators.adjoint import LinearOperatorAdjoint

        return LinearOperatorAdjoint(self, **self._all_hints())

    def _all_hints(self, **changed) -> dict:
        """The hints as arguments of a constructor, some of them changed."""
        return {hint: getattr(self, hint) for hint in Hints._fields} | changed

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator of the inverse matrix.

        Raises:
          ValueError: if the operator is known to be singular or not square.
        """
        for hint, what in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if hint is False:
                raise ValueError(f"Cannot take the Inverse: This operator represents a {what} matrix.")
        with self._name_scope(name):
            return self._linop_inverse()

    def _linop_inverse(self) -> LinearOperator:
        from reflow.api.linalg.operators.inversion import LinearOperatorInversion

        return LinearOperatorInversion(self, **self._all_hints())

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The operator of the Cholesky factor.

        Raises:
          ValueError: if the operator is not known to be positive definite and self-adjoint.
        """
        if not self._can_use_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        with self._name_scope(name):
            return self._linop_cholesky()

    def _linop_cholesky(self) -> LinearOperator:
        from reflow.api.linalg.operators.triangular import LinearOperatorLowerTriangular

        factor = solvers.cholesky(self.to_dense())
        return LinearOperatorLowerTriangular(factor, is_non_singular=True, is_self_adjoint=False, is_square=True)

    def __getitem__(self, slices):
        """The operator of a part of the batch."""
        return batch.sliced(self, slices)

    # --- numbers of the matrix

    def to_dense(self, name="to_dense"):
        """The matrix as a tensor."""
        with self._name_scope(name):
            return self._to_dense()

    def _to_dense(self):
        columns = self.domain_dimension.value
        columns = self.domain_dimension_tensor() if columns is None else columns
        return self.matmul(creation.eye(columns, batch_shape=self._batch_sizes(), dtype=self.dtype))

    def determinant(self, name="det"):
        """The determinant of each matrix."""
        self._check_determinant()
        with self._name_scope(name):
            return self._determinant()

    def _check_determinant(self):
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")

    def _determinant(self):
        if self._can_use_cholesky():
            return unary.exp(self.log_abs_determinant())
        return solvers.det(self.to_dense())

    def log_abs_determinant(self, name="log_abs_det"):
        """The logarithm of the size of each determinant."""
        self._check_determinant()
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _log_abs_determinant(self):
        if self._can_use_cholesky():
            roots = matrix_diag_part(solvers.cholesky(self.to_dense()))
            return 2 * reduce_sum(unary.log(roots), -1)
        return solvers.slogdet(self.to_dense()).log_abs_determinant

    def diag_part(self, name="diag_part"):
        """The main diagonal of each matrix."""
        with self._name_scope(name):
            return self._diag_part()

    def _diag_part(self):
        return matrix_diag_part(self.to_dense())

    def trace(self, name="trace"):
        """The sum of the main diagonal of each matrix."""
        with self._name_scope(name):
            return self._trace()

    def _trace(self):
        return reduce_sum(self.diag_part(), -1)

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The sum of the matrix and a tensor."""
        with self._name_scope(name):
            x = convert_to_tensor(x, name="x")
            self._check_input_dtype(x)
            return self._add_to_tensor(x)

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def eigvals(self, name="eigvals"):
        """The eigenvalues of self-adjoint matrices."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._name_scope(name):
            return self._eigvals()

    def _eigvals(self):
        return solvers.eigvalsh(self.to_dense())

    def cond(self, name="cond"):
        """The condition number: the ratio of the greatest singular value to the least."""
        with self._name_scope(name):
            return self._cond()

    def _cond(self):
        values = unary.abs(self._eigvals()) if self.is_self_adjoint else solvers.svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    # --- as a composite tensor

    @property
    def _composite_tensor_fields(self) -> tuple:
        """The constructor arguments, without hints, that rebuild the operator."""
        return ()

    @property
    def _composite_tensor_prefer_static_fields(self) -> tuple:
        """Those of `_composite_tensor_fields` that the spec keeps if their values are known."""
        return ()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict:
        """For each argument that has batch axes, the number of its other axes."""
        return {}

    @property
    def _type_spec(self):
        raise NotImplementedError(f"{type(self).__name__} has no spec; decorate it with `make_composite_tensor`.")

    def _gradient_parts(self) -> list:
        """What a tape differentiates by when an operator is the source: its tensors and variables."""
        return nest.flatten(self, expand_composites=True)

    def _from_gradient_parts(self, grads: list):
        """The gradient: an operator of the same kind, or None if no part has one."""
        if all(grad is None for grad in grads):
            return None
        parts = zip(self._gradient_parts(), grads, strict=True)
        filled = [creation.zeros_like(part, self.dtype) if grad is None else grad for part, grad in parts]
        return nest.pack_sequence_as(self, filled, expand_composites=True)

    def _convert_variables_to_tensors(self):
        """The operator with the present values of its variables."""
        spec = self._type_spec
        parts = spec._to_components(self)
        read = [convert_to_tensor(x) if isinstance(x, Variable) else x for x in nest.flatten(parts)]
        read = [x._convert_variables_to_tensors() if isinstance(x, LinearOperator) else x for x in read]
        return spec._from_components(nest.pack_sequence_as(parts, read))
