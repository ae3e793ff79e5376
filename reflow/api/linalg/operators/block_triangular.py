"""`tf.linalg.LinearOperatorBlockLowerTriangular`: operators on and below the diagonal."""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.debugging.types import assert_proper_iterable
from reflow.api.export import export
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.addition import add_operators
from reflow.api.linalg.operators.blocks import BlockOperator
from reflow.api.linalg.operators.identity import LinearOperatorScaledIdentity
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.core.properties import read_only


@export("linalg.LinearOperatorBlockLowerTriangular")
@make_composite_tensor
class LinearOperatorBlockLowerTriangular(BlockOperator):
    """The operator of a block lower triangular matrix.

    Args:
      operators: a list of rows; row `i` has `i + 1` operators, the last of which is on the diagonal and square.

    >>> one, two = tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorScaledIdentity(1, 2.0)
    >>> operator = tf.linalg.LinearOperatorBlockLowerTriangular([[one], [two, one]])
    >>> operator.to_dense().numpy().tolist(), operator.solvevec(tf.constant([1.0, 3.0])).numpy().tolist()
    ([[1.0, 0.0], [2.0, 1.0]], [1.0, 1.0])
    """

    def __init__(
        self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name="LinearOperatorBlockLowerTriangular",
    ):
        assert_proper_iterable(operators)
        for row in operators:
            assert_proper_iterable(row)
        operators = [list(row) for row in operators]
        if not operators:
            raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {operators}.")
        self._operators = operators
        self._diagonal_operators = [row[-1] for row in operators]
        _check_rows(operators)
        is_non_singular = _non_singular(self._diagonal_operators, is_non_singular)
        if is_square is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected argument `is_square` to be True. "
                f"Received: {is_square}."
            )
        for i, op in enumerate(self._diagonal_operators):
            if op.is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row-partition in the `operators` list) must "
                    f"be square. Expected argument `operators[{i}][-1].is_square` to be True. Received: {op.is_square}."
                )
        dtype = operators[0][0].dtype
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    operators = read_only("_operators", "The rows of blocks.")

    def _all_operators(self):
        return [op for row in self._operators for op in row]

    def _linop_inverse(self):
        """The inverse has the same form. Its last row is `-D^-1 R T^-1` and `D^-1`, with D the last block of the
        diagonal, R the row before it, and T the triangle above."""
        hints = self._all_hints(is_square=True)
        *above, last = self._operators
        corner = last[-1].inverse()
        if not above:
            return LinearOperatorBlockLowerTriangular([[corner]], **hints)
        triangle = LinearOperatorBlockLowerTriangular(above)._linop_inverse().operators
        minus = LinearOperatorScaledIdentity(corner.domain_dimension_tensor(), m.cast(-1, self.dtype))
        row = []
        for i in range(len(above)):
            products = [last[j].matmul(triangle[j][i]) for j in range(i, len(above))]
            (block,) = add_operators(products)
            row.append(minus.matmul(corner.matmul(block)))
        return LinearOperatorBlockLowerTriangular([*triangle, [*row, corner]], **hints)

    def _matmul_blocks(self, blocks, adjoint, adjoint_arg):
        count = len(self._operators)
        results = []
        for i in range(count):
            places = [(j, i) for j in range(i, count)] if adjoint else [(i, j) for j in range(i + 1)]
            parts = [
                self._operators[row][column].matmul(
                    blocks[row if adjoint else column], adjoint=adjoint, adjoint_arg=adjoint_arg
                )
                for row, column in places
            ]
            results.append(sum(parts[1:], parts[0]))
        return results

    def _solve_blocks(self, blocks, adjoint, adjoint_arg):
        """Forward substitution, or backward for the adjoint."""
        count = len(self._operators)
        blocks = [batch.turned(block, adjoint_arg) for block in blocks]
        found: dict = {}
        for i in reversed(range(count)) if adjoint else range(count):
            rest = blocks[i]
            for j, solution in found.items():
                block = self._operators[j][i] if adjoint else self._operators[i][j]
                rest = rest - block.matmul(solution, adjoint=adjoint)
            found[i] = self._operators[i][i].solve(rest, adjoint=adjoint)
        return [found[i] for i in range(count)]

    def _determinant(self):
        if all(op.is_positive_definite for op in self._diagonal_operators):
            return unary.exp(self._log_abs_determinant())
        return super()._determinant()

    def _to_dense(self):
        dense = iter(batch.same_batch([op.to_dense() for op in self._all_operators()]))
        rows, width = [], 0
        columns = self.domain_dimension.value
        columns = self.domain_dimension_tensor() if columns is None else columns
        for i in range(len(self._operators)):
            blocks = [next(dense) for _ in range(i + 1)]
            shape = batch.sizes(blocks[-1])
            width = width + shape[-1]
            blocks.append(creation.zeros(batch.joined(shape[:-1], [columns - width]), self.dtype))
            rows.append(arrange.concat(blocks, -1))
        matrix = arrange.concat(rows, -2)
        matrix.set_shape(self.shape)
        return matrix

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operators": [[0] * len(row) for row in self._operators]}


def _check_rows(operators: list):
    """Blocks of one dtype, as many in each row as belong there, of sizes that fit."""
    dtype = operators[0][0].dtype
    for i, row in enumerate(operators):
        if any(op.dtype != dtype for op in row):
            found = [str((op.name, op.dtype)) for op in row]
            raise TypeError(
                f"Expected all operators to have the same dtype.  Found {found} in row {i} and {dtype} in row 0."
            )
        if len(row) != i + 1:
            raise ValueError(f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks.")
    for i in range(1, len(operators)):
        for j in range(i):
            for side, row, column in (("domain_dimension", i - 1, j), ("range_dimension", i, j + 1)):
                mine, other = getattr(operators[i][j], side), getattr(operators[row][column], side)
                if not mine.is_compatible_with(other):
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].{side}` ({mine}) must be the same as "
                        f"`operators[{row}][{column}].{side}` ({other})."
                    )


def _non_singular(diagonal: list, given):
    """Whether the matrix can be inverted: the blocks of its diagonal decide."""
    words = "A blockwise lower-triangular operator with"
    received = f"Expected argument `is_non_singular` to be True. Received: {given}."
    if all(op.is_non_singular for op in diagonal):
        if given is False:
            raise ValueError(f"{words} non-singular operators on the main diagonal is always non-singular. {received}")
        return True
    if any(op.is_non_singular is False for op in diagonal):
        if given is True:
            raise ValueError(f"{words} a singular operator on the main diagonal is always singular. {received}")
        return False
    return None
