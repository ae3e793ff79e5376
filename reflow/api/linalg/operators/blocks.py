"""Operators composed of blocks, and arguments split into blocks.

A blockwise operator takes either a tensor, which it splits into as many pieces as it has blocks, or a list with one
tensor per block; then its results are lists too.
"""

from __future__ import annotations

import operator as python

from reflow.api.array import arrange
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.composition import together, total
from reflow.core import nest
from reflow.ops.convert import convert_to_tensor


def is_blockwise(dimensions: list, x, axis: int) -> bool:
    """Whether an argument is a list of blocks: it has as many items as there are blocks, and their sizes fit.

    A nested list of numbers may be a tensor or a list of tensors; then the sizes decide.

    Raises:
      ValueError: if they cannot.
    """
    if not (isinstance(x, (tuple, list)) and len(x) == len(dimensions)):
        return False
    if not any(nest.is_nested(item) for item in x):
        return True
    found = [convert_to_tensor(item).shape[axis] for item in x]
    sizes = [dimension.value for dimension in dimensions]
    if all(size is None for size in sizes):
        if len(found) == 1:
            return False
        if any(size != found[0] for size in found):
            return True
        raise ValueError(
            "Parsing of the input structure is ambiguous. Please input a blockwise iterable of `Tensor`s or a single "
            "`Tensor`."
        )
    if all(size in (None, given) for size, given in zip(sizes, found, strict=True)):
        return True
    if all(size == found[0] for size in found) and found[0] >= sum(size for size in sizes if size is not None):
        return False
    raise ValueError("Input dimension does not match operator dimension.")


class BlockOperator(LinearOperator):
    """What blockwise operators share. `_diagonal_operators` are the blocks of the diagonal; `_matmul_blocks` and
    `_solve_blocks` work on lists of tensors."""

    _diagonal_operators: list

    def _matmul_blocks(self, blocks: list, adjoint: bool, adjoint_arg: bool) -> list:
        raise NotImplementedError

    def _solve_blocks(self, blocks: list, adjoint: bool, adjoint_arg: bool) -> list:
        raise NotImplementedError

    def _block_range_dimensions(self) -> list:
        return [op.range_dimension for op in self._diagonal_operators]

    def _block_domain_dimensions(self) -> list:
        return [op.domain_dimension for op in self._diagonal_operators]

    def _block_range_dimension_tensors(self) -> list:
        return [op.range_dimension_tensor() for op in self._diagonal_operators]

    def _block_domain_dimension_tensors(self) -> list:
        return [op.domain_dimension_tensor() for op in self._diagonal_operators]

    def _all_operators(self) -> list:
        """All blocks."""
        return self._diagonal_operators

    def _shape(self):
        ends = [sum(self._block_range_dimensions()), sum(self._block_domain_dimensions())]
        return batch.static_batch(op.batch_shape for op in self._all_operators()).concatenate(ends)

    def _shape_tensor(self):
        ends = [sum(self._block_range_dimension_tensors()), sum(self._block_domain_dimension_tensors())]
        return arrange.concat([batch.dynamic_batch([op.batch_shape_tensor() for op in self._all_operators()]), ends], 0)

    # --- arguments

    def _blocks_of(self, x, name: str, own: int, axis: int):
        """The blocks of an argument, and whether it came in blocks.

        `own` is the axis of the matrix to which `axis` of x belongs.
        """
        dimensions = self._block_range_dimensions() if own == -2 else self._block_domain_dimensions()
        if is_blockwise(dimensions, x, axis):
            blocks = []
            for dimension, block in zip(dimensions, x, strict=True):
                if not isinstance(block, LinearOperator):
                    block = convert_to_tensor(block)
                    self._check_input_dtype(block)
                    dimension.assert_is_compatible_with(block.shape[axis])
                blocks.append(block)
            return blocks, True
        x = self._argument(x, name, own, axis)
        sizes = [dimension.value for dimension in dimensions]
        if None in sizes:
            sizes = self._block_range_dimension_tensors() if own == -2 else self._block_domain_dimension_tensors()
        return arrange.split(x, sizes, axis=axis), False

    @staticmethod
    def _result(blocks: list, blockwise: bool):
        return blocks if blockwise else arrange.concat(batch.same_batch(blocks), -2)

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product with a tensor, with a list of tensors (a list is the result), or with an operator."""
        if isinstance(x, LinearOperator):
            return super().matmul(x, adjoint, adjoint_arg, name)
        with self._name_scope(name):
            return self._matmul(x, adjoint, adjoint_arg)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        blocks, blockwise = self._blocks_of(x, "x", -2 if adjoint else -1, -1 if adjoint_arg else -2)
        return self._result(self._matmul_blocks(blocks, adjoint, adjoint_arg), blockwise)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The solution for a tensor, for a list of tensors (a list is the result), or for an operator."""
        if isinstance(rhs, LinearOperator):
            return super().solve(rhs, adjoint, adjoint_arg, name)
        self._check_solvable()
        with self._name_scope(name):
            return self._solve(rhs, adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        blocks, blockwise = self._blocks_of(rhs, "rhs", -1 if adjoint else -2, -1 if adjoint_arg else -2)
        return self._result(self._solve_blocks(blocks, adjoint, adjoint_arg), blockwise)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product with a batch of vectors, or with a list of them."""
        with self._name_scope(name):
            return self._of_vectors(self.matmul, x, "x", -2 if adjoint else -1, adjoint)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The solution for a batch of vectors, or for a list of them."""
        with self._name_scope(name):
            return self._of_vectors(self.solve, rhs, "rhs", -1 if adjoint else -2, adjoint)

    def _of_vectors(self, method, x, name: str, own: int, adjoint: bool):
        blocks, blockwise = self._blocks_of(x, name, own, -1)
        found = method([arrange.expand_dims(block, -1) for block in blocks], adjoint=adjoint)
        parts = [arrange.squeeze(part, -1) for part in found]
        return parts if blockwise else self._side_by_side(parts)

    @staticmethod
    def _side_by_side(vectors):
        """Vectors with broadcast batches as one."""
        columns = batch.same_batch([vector[..., None] for vector in vectors])
        return arrange.squeeze(arrange.concat(columns, -2), -1)

    # --- numbers of the diagonal

    def _check_square(self, what: str):
        if not all(op.is_square for op in self._diagonal_operators):
            raise NotImplementedError(f"`{what}` not implemented for an operator whose blocks are not square.")

    def _determinant(self):
        return total((op.determinant() for op in self._diagonal_operators), python.mul)

    def _log_abs_determinant(self):
        return total((op.log_abs_determinant() for op in self._diagonal_operators), python.add)

    def _diag_part(self):
        self._check_square("diag_part")
        return self._side_by_side([op.diag_part() for op in self._diagonal_operators])

    def _trace(self):
        self._check_square("trace")
        return total((op.trace() for op in self._diagonal_operators), python.add)

    def _eigvals(self):
        self._check_square("eigvals")
        return self._side_by_side([op.eigvals() for op in self._diagonal_operators])

    def _assert_non_singular(self):
        return together(op.assert_non_singular() for op in self._diagonal_operators)

    _composite_tensor_fields = ("operators",)
