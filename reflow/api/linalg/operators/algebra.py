"""Products and quotients of operators.

A pair of operators with a common structure gives an operator with that structure: the product of two diagonal operators
is diagonal. Rules define this for pairs of classes; all other pairs become a `LinearOperatorComposition`.
"""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.linalg.operators.block_diag import LinearOperatorBlockDiag
from reflow.api.linalg.operators.circulant import BlockCirculant
from reflow.api.linalg.operators.composition import LinearOperatorComposition
from reflow.api.linalg.operators.diag import LinearOperatorDiag
from reflow.api.linalg.operators.hints import non_singular_product, of_commuting_product, of_product
from reflow.api.linalg.operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from reflow.api.linalg.operators.inversion import LinearOperatorInversion
from reflow.api.linalg.operators.triangular import LinearOperatorLowerTriangular
from reflow.api.linalg.operators.zeros import LinearOperatorZeros
from reflow.ops.convert import convert_to_tensor

_NOT_SQUARE = "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time."
_SCALED = LinearOperatorScaledIdentity
_LOWER = LinearOperatorLowerTriangular
_DIAG = LinearOperatorDiag


def product(left, right):
    """The product of two operators, as an operator."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(left, LinearOperatorZeros) or isinstance(right, LinearOperatorZeros):
        if not (left.is_square and right.is_square):
            raise ValueError(_NOT_SQUARE)
        return left if isinstance(left, LinearOperatorZeros) else right
    if isinstance(right, LinearOperatorIdentity):
        return left
    structured = _structured(left, right, lambda a, b: a * b, "matmul")
    if structured is not None:
        return structured
    return LinearOperatorComposition([left, right], **of_product(left, right)._asdict())


def quotient(left, right):
    """The operator `left^-1 right`."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left.inverse()
    if isinstance(left, LinearOperatorInversion):
        return left.operator.matmul(right)
    structured = _structured(left, right, lambda a, b: b / a, "solve")
    if structured is not None:
        return structured
    return LinearOperatorComposition([LinearOperatorInversion(left), right], **of_product(left, right)._asdict())


def _structured(left, right, combine: Callable, method: str):
    """The result of a pair with a common structure, or None. `combine` is what happens to the numbers of both."""
    if isinstance(left, BlockCirculant) and type(left) is type(right):
        hints = of_commuting_product(left, right)._asdict()
        return type(left)(combine(left.spectrum, right.spectrum), left.dtype, **hints)
    if isinstance(left, LinearOperatorBlockDiag) and isinstance(right, LinearOperatorBlockDiag):
        blocks = [getattr(a, method)(b) for a, b in zip(left.operators, right.operators, strict=True)]
        return LinearOperatorBlockDiag(blocks, is_non_singular=non_singular_product(left, right), is_square=True)
    if isinstance(left, _SCALED) and isinstance(right, _SCALED):
        hints = of_commuting_product(left, right)._asdict()
        return _SCALED(left.domain_dimension_tensor(), combine(left.multiplier, right.multiplier), **hints)
    if isinstance(left, (_SCALED, _DIAG)) and isinstance(right, (_SCALED, _DIAG)):
        diagonal = combine(_diagonal(left), _diagonal(right))
        return _DIAG(diagonal, **of_commuting_product(left, right)._asdict())
    if isinstance(left, _DIAG) and isinstance(right, _LOWER):
        return _triangle(left, right, combine(_diagonal(left)[..., None], right.to_dense()))
    if method == "matmul" and isinstance(left, _LOWER) and isinstance(right, _DIAG):
        return _triangle(left, right, left.to_dense() * _diagonal(right)[..., None, :])
    return None


def _diagonal(operator):
    """The numbers of a diagonal operator, or the number of a multiple of the unit matrix with an axis for its rows."""
    if isinstance(operator, _SCALED):
        return convert_to_tensor(operator.multiplier)[..., None]
    return convert_to_tensor(operator.diag)


def _triangle(left, right, numbers):
    hints = of_commuting_product(left, right)._asdict() | {"is_positive_definite": None}
    return _LOWER(numbers, **hints)
