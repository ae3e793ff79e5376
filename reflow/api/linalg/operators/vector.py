"""Square operators that one vector describes: a diagonal, a permutation, an axis of reflection."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.linalg.operators.base import LinearOperator
from reflow.core.types import Value


class VectorOperator(LinearOperator):
    """An operator with as many rows and columns as its vector is long. The vector is the last axis of `_vector`."""

    _vector: Value  # a property: checkpoints know the tensor by the name that TensorFlow gives it in each class

    def _shape(self):
        shape = self._vector.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = arrange.shape(self._vector)
        return arrange.concat([shape, shape[-1:]], 0)
