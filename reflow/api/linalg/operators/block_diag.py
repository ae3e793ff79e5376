"""`tf.linalg.LinearOperatorBlockDiag`: operators along the diagonal."""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.export import export
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.blocks import BlockOperator
from reflow.api.linalg.operators.composition import PartwiseOperator, checked_operators, together
from reflow.api.linalg.operators.hints import must_hold
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.core.properties import read_only


@export("linalg.LinearOperatorBlockDiag")
@make_composite_tensor
class LinearOperatorBlockDiag(PartwiseOperator, BlockOperator):
    """The operator of a block diagonal matrix.

    Args:
      operators: the blocks, operators of one dtype.

    >>> blocks = [tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]), tf.linalg.LinearOperatorIdentity(1)]
    >>> tf.linalg.LinearOperatorBlockDiag(blocks).to_dense().numpy().tolist()
    [[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 1.0]]
    """

    def __init__(
        self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=True,
        name=None,
    ):
        self._operators = self._diagonal_operators = operators = checked_operators(operators)
        given = (is_non_singular, is_self_adjoint, is_positive_definite)
        names = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
        texts = ("non-singular", "self-adjoint", "positive definite")
        hints = [
            must_hold(
                all(getattr(op, name) for op in operators),
                hint,
                f"The direct sum of {text} operators is always {text}.",
            )
            for hint, name, text in zip(given, names, texts, strict=True)
        ]
        non_singular, self_adjoint, positive = hints
        name = name or "_ds_".join(op.name for op in operators)
        super().__init__(operators[0].dtype, None, non_singular, self_adjoint, positive, is_square, name)

    operators = read_only("_operators", "The blocks.")

    def _pair(self, other, adjoint, adjoint_arg, name):
        left, right = super()._pair(other, adjoint, adjoint_arg, name)
        if isinstance(right, LinearOperatorBlockDiag) and isinstance(left, LinearOperatorBlockDiag):
            if len(left.operators) != len(right.operators):
                task = (
                    "multiply two `LinearOperatorBlockDiag`s together"
                    if name == "x"
                    else "solve `LinearOperatorBlockDiag`"
                )
                raise ValueError(f"Can not efficiently {task} when number of blocks differ.")
            for a, b in zip(left.operators, right.operators, strict=True):
                sizes = a.domain_dimension.value, b.range_dimension.value
                if None not in sizes and sizes[0] != sizes[1]:
                    raise ValueError(
                        f"Blocks are incompatible. Expected `x` to have dimension {sizes[0]} but got {sizes[1]}."
                    )
        return left, right

    def _matmul_blocks(self, blocks, adjoint, adjoint_arg):
        pairs = zip(self._operators, blocks, strict=True)
        return [op.matmul(block, adjoint=adjoint, adjoint_arg=adjoint_arg) for op, block in pairs]

    def _solve_blocks(self, blocks, adjoint, adjoint_arg):
        pairs = zip(self._operators, blocks, strict=True)
        return [op.solve(block, adjoint=adjoint, adjoint_arg=adjoint_arg) for op, block in pairs]

    def _to_dense(self):
        rows, before = [], 0
        for block in batch.same_batch([op.to_dense() for op in self._operators]):
            shape = batch.sizes(block)
            columns = self.domain_dimension.value
            columns = self.domain_dimension_tensor() if columns is None else columns
            widths = before, columns - before - shape[-1]
            left, right = (creation.zeros(batch.joined(shape[:-1], [width]), self.dtype) for width in widths)
            rows.append(arrange.concat([left, block, right], -1))
            before = before + shape[-1]
        dense = arrange.concat(rows, -2)
        dense.set_shape(self.shape)
        return dense

    def _assert_positive_definite(self):
        return together(op.assert_positive_definite() for op in self._operators)

    def _assert_self_adjoint(self):
        return together(op.assert_self_adjoint() for op in self._operators)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operators": [0] * len(self._operators)}
