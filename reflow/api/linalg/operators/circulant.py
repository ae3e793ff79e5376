"""`tf.linalg.LinearOperatorCirculant`, `…2D`, `…3D`: convolutions that wrap around.

A circulant matrix becomes diagonal in Fourier space, so it is given by its *spectrum*, the discrete Fourier transform
of its first column. In two and three dimensions the vector that it multiplies is a flattened image or volume; the
number of dimensions is the operator's *block depth*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.linalg.diag import matrix_transpose
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.diag import assert_no_zeros, assert_real
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_max, reduce_min, reduce_prod, reduce_sum
from reflow.api.signal import fft
from reflow.core import dtypes
from reflow.core.properties import read_only
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor

_FORWARD = {1: fft.fft, 2: fft.fft2d, 3: fft.fft3d}
_BACKWARD = {1: fft.ifft, 2: fft.ifft2d, 3: fft.ifft3d}


class BlockCirculant(LinearOperator):
    """What circulant operators of all depths share."""

    _depth: int

    def __init__(
        self, spectrum, input_output_dtype=dtypes.complex64, is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=True, name=None,
    ):
        self._spectrum = batch.parameter(spectrum, "spectrum")
        rank = self._spectrum.shape.rank
        if rank is not None and rank < self._depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. Received: {self._spectrum}."
            )
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A real spectrum always corresponds to a self-adjoint operator. Expected argument "
                    "`is_self_adjoint` to be True when `spectrum.dtype.is_complex` = True. "
                    f"Received: {is_self_adjoint}."
                )
            is_self_adjoint = True
        if is_square is False:
            raise ValueError(
                "A [[nested] block] circulant operator is always square. Expected argument `is_square` to be True. "
                f"Received: {is_square}."
            )
        super().__init__(
            dtypes.as_dtype(input_output_dtype), None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name,
        )

    spectrum = read_only("_spectrum", "The Fourier transform of the convolution's kernel.")
    block_depth = read_only("_depth", "The number of dimensions in which the convolution works.")

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of these dimensions."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self):
        """The sizes as an int32 tensor."""
        known = self.block_shape
        if known.is_fully_defined():
            return convert_to_tensor(known.as_list(), dtypes.int32)
        return arrange.shape(self._spectrum)[-self._depth :]

    def _shape(self):
        block = self.block_shape
        size = block.num_elements()
        return self._spectrum.shape[: -self._depth].concatenate([size, size])

    def _shape_tensor(self):
        shape = arrange.shape(self._spectrum)
        size = reduce_prod(shape[-self._depth :], keepdims=True)
        return arrange.concat([shape[: -self._depth], size, size], 0)

    def _like(self, spectrum, **hints):
        """An operator of the same depth and dtype. TensorFlow's forgets the dtype of an adjoint and a product."""
        return type(self)(spectrum, self.dtype, **self._all_hints(is_square=True, **hints))

    def _linop_adjoint(self):
        return self._like(unary.conj(self._spectrum))

    def _linop_inverse(self):
        return self._like(1.0 / self._spectrum)

    def convolution_kernel(self, name="convolution_kernel"):
        """The kernel: the inverse Fourier transform of the spectrum."""
        with self._name_scope(name):
            return m.cast(_BACKWARD[self._depth](batch.to_complex(self._spectrum)), self.dtype)

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """An op that fails if the spectrum does not belong to a real kernel."""
        real = self.dtype.real_dtype
        with self._name_scope(name):
            limit = m.cast(self.domain_dimension_tensor(), real) * float(np.finfo(real.np_dtype).eps)
            imaginary = unary.abs(unary.imag(self.convolution_kernel()))
            return asserts.assert_less(imaginary, limit, message="Spectrum was not Hermitian")

    def _assert_non_singular(self):
        return assert_no_zeros(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self):
        return asserts.assert_positive(
            unary.real(self._spectrum), message="Not positive definite:  Real part of spectrum was not all positive."
        )

    def _assert_self_adjoint(self):
        return assert_real(self._spectrum, "Not self-adjoint:  The spectrum contained non-zero imaginary part.")

    def _filtered(self, x, function, adjoint: bool, adjoint_arg: bool):
        """`function` of the argument in Fourier space and of the spectrum, back in the space of matrices."""
        spectrum = batch.to_complex(self._spectrum)
        if adjoint:
            spectrum = unary.conj(spectrum)
        x = m.cast(batch.turned(x, adjoint_arg), spectrum.dtype)
        shape = batch.sizes(spectrum)
        flat = arrange.reshape(spectrum, batch.joined(shape[: -self._depth], [-1, 1]))
        columns, flat = (matrix_transpose(part) for part in batch.same_batch([x, flat]))
        block = self.block_shape if self.block_shape.is_fully_defined() else self.block_shape_tensor()
        blocks = arrange.reshape(columns, batch.joined(batch.sizes(columns)[:-1], block))
        factors = arrange.reshape(flat, batch.joined(batch.sizes(flat)[:-1], block))
        result = _BACKWARD[self._depth](function(_FORWARD[self._depth](blocks), factors))
        return m.cast(matrix_transpose(arrange.reshape(result, batch.sizes(columns))), self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._filtered(x, m.multiply, adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._filtered(rhs, m.divide, adjoint, adjoint_arg)

    def _axes(self) -> list:
        return [-1 - i for i in range(self._depth)]

    def _determinant(self):
        return m.cast(reduce_prod(self._spectrum, self._axes()), self.dtype)

    def _log_abs_determinant(self):
        return m.cast(reduce_sum(unary.log(unary.abs(self._spectrum)), self._axes()), self.dtype)

    def _trace(self):
        total = reduce_sum(self._spectrum, self._axes())
        if not self.dtype.is_complex or self.is_self_adjoint:
            total = unary.real(total)
        return m.cast(total, self.dtype)

    def _diag_part(self):
        size = m.cast(self.domain_dimension_tensor(), self.dtype)
        ones = self._filled(creation.ones, self.domain_dimension.value or self.domain_dimension_tensor())
        return (self.trace() / size)[..., None] * ones

    def _eigvals(self):
        shape = batch.sizes(self._spectrum)
        return arrange.reshape(convert_to_tensor(self._spectrum), batch.joined(shape[: -self._depth], [-1]))

    def _cond(self):
        size = unary.abs(self._eigvals())
        return reduce_max(size, -1) / reduce_min(size, -1)

    _composite_tensor_fields = ("spectrum", "input_output_dtype")

    _input_output_dtype = read_only("dtype")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"spectrum": self._depth}


def _constructor(default_name: str):
    """`BlockCirculant.__init__` with another default for `name`: that of a subclass."""

    def __init__(
        self, spectrum, input_output_dtype: Any = dtypes.complex64, is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=True, name=default_name,
    ):
        hints = is_non_singular, is_self_adjoint, is_positive_definite, is_square
        BlockCirculant.__init__(self, spectrum, input_output_dtype, *hints, name)

    return __init__


@export("linalg.LinearOperatorCirculant")
@make_composite_tensor
class LinearOperatorCirculant(BlockCirculant):
    """The operator of a circulant matrix: each column is the one before it, turned by one place.

    Args:
      spectrum: the discrete Fourier transform of the first column.
      input_output_dtype: the dtype of the matrix and of what it multiplies.

    >>> operator = tf.linalg.LinearOperatorCirculant([6.0, 0.0, 0.0], input_output_dtype=tf.float32)
    >>> operator.to_dense().numpy().tolist()
    [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    """

    _depth = 1
    __init__ = _constructor("LinearOperatorCirculant")


@export("linalg.LinearOperatorCirculant2D")
@make_composite_tensor
class LinearOperatorCirculant2D(BlockCirculant):
    """The operator of a convolution of images that wraps around; an image is a vector, one row after the other.

    Args:
      spectrum: the Fourier transform of the kernel in the last two axes.
      input_output_dtype: the dtype of the matrix and of what it multiplies.

    >>> operator = tf.linalg.LinearOperatorCirculant2D([[1.0, 1.0], [1.0, 1.0]], input_output_dtype=tf.float32)
    >>> operator.matvec([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
    [1.0, 2.0, 3.0, 4.0]
    """

    _depth = 2
    __init__ = _constructor("LinearOperatorCirculant2D")


@export("linalg.LinearOperatorCirculant3D")
@make_composite_tensor
class LinearOperatorCirculant3D(BlockCirculant):
    """The operator of a convolution of volumes that wraps around.

    A volume is a vector: one plane after the other, in each one row after the other.

    Args:
      spectrum: the Fourier transform of the kernel in the last three axes.
      input_output_dtype: the dtype of the matrix and of what it multiplies.

    >>> operator = tf.linalg.LinearOperatorCirculant3D(tf.ones([1, 1, 2]), input_output_dtype=tf.float32)
    >>> operator.matvec([1.0, 2.0]).numpy().tolist()
    [1.0, 2.0]
    """

    _depth = 3
    __init__ = _constructor("LinearOperatorCirculant3D")
