"""`tf.linalg.LinearOperatorPermutation`: a permutation of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing, sorting
from reflow.api.export import export
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.linalg.operators.vector import VectorOperator
from reflow.api.math import arithmetic as m
from reflow.core import dtypes
from reflow.core.properties import read_only
from reflow.ops.convert import convert_to_tensor


@export("linalg.LinearOperatorPermutation")
@make_composite_tensor
class LinearOperatorPermutation(VectorOperator):
    """The operator that puts rows into another order: row `i` of the product is row `perm[i]` of the argument.

    Args:
      perm: integers; the last axis holds each number from 0 once.
      dtype: the dtype of what it multiplies.

    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([1.0, 2.0, 3.0]).numpy().tolist()
    [3.0, 1.0, 2.0]
    """

    def __init__(
        self, perm, dtype: Any = dtypes.float32, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
        is_square=None, name="LinearOperatorPermutation",
    ):
        self._perm = batch.parameter(perm, "perm")
        self._check(self._perm)
        for hint, given, text in (
            ("is_non_singular", is_non_singular, "non-singular"),
            ("is_square", is_square, "square"),
        ):
            if given is False:
                raise ValueError(
                    f"A Permutation operator is always {text}. Expected argument `{hint}` to "
                    f"be True. Received: {given}."
                )
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @staticmethod
    def _check(perm):
        if perm.shape.rank == 0:
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Received: {perm}.")
        if not perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {perm}.")
        known = arrange.get_static_value(perm)
        if known is not None and np.any(np.sort(known, axis=-1) != np.arange(known.shape[-1])):
            raise ValueError(f"Argument `perm` must be a vector of unique integers from 0 to {known.shape[-1] - 1}.")

    perm = _vector = read_only("_perm", "The order of the rows.")

    _assert_non_singular = batch.always("assert_non_singular")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        perm = convert_to_tensor(self._perm)
        if adjoint and not self.is_self_adjoint:
            perm = sorting.argsort(perm, axis=-1)
        x, order = batch.same_batch([batch.turned(x, adjoint_arg), perm[..., None]])
        axes = x.shape.rank
        if axes is not None:
            return indexing.gather(x, order[..., 0], axis=-2, batch_dims=axes - 2)
        sizes = arrange.shape(x)
        flat = arrange.reshape(x, arrange.concat([[-1], sizes[-2:]], 0))
        taken = indexing.gather(flat, arrange.reshape(order, [-1, sizes[-2]]), axis=-2, batch_dims=1)
        return arrange.reshape(taken, sizes)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _log_abs_determinant(self):
        return self._filled(creation.zeros)

    def _places(self):
        perm = convert_to_tensor(self._perm)
        return perm, m.cast(creation.range(0, arrange.shape(perm)[-1]), perm.dtype)

    def _to_dense(self):
        perm, places = self._places()
        return m.cast(m.equal(places, perm[..., None]), self.dtype)

    def _diag_part(self):
        return m.cast(m.equal(*self._places()), self.dtype)

    def _cond(self):
        return self._filled(creation.ones)

    _composite_tensor_fields = ("perm", "dtype")
    _experimental_parameter_ndims_to_matrix_ndims = {"perm": 1}
