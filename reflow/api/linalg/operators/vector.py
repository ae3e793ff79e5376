"""Square operators described by one vector: a diagonal, a permutation, a reflection axis."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.linalg.operators.base import LinearOperator
from reflow.core.types import Value


class VectorOperator(LinearOperator):
    """An operator with as many rows and columns as its vector is long. The vector is the last axis of `_vector`."""

    _vector: Value  # a property: checkpoints use TensorFlow's name for the tensor in each class

    def _shape(self):
        shape = self._vector.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = arrange.shape(self._vector)
        return arrange.concat([shape, shape[-1:]], 0)
