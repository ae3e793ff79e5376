"""Operators derived from another one, with its properties: the adjoint and the inverse."""

from __future__ import annotations

from reflow.api.linalg.operators.base import LinearOperator
from reflow.core.properties import read_only


class DerivedOperator(LinearOperator):
    """An operator that is singular, self-adjoint or positive definite if another one is, which it asks."""

    _operator: LinearOperator

    operator = read_only("_operator", "The operator that this one is made of.")

    def _assert_non_singular(self):
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self._operator.assert_self_adjoint()
