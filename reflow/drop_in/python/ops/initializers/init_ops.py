"""`tensorflow.python.ops.init_ops`: version 1's initializers for kernels of convolutions that keep the norm of their
input.

A kernel is a dictionary from positions to matrices while it is made: a product of convolutions with *blocks* of size 2
in each direction, whose matrices are products of projections P or I - P (Xiao et al., 2018).
"""

from __future__ import annotations

import itertools
from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.linalg import diag, products, solve
from reflow.api.math import unary
from reflow.api.math.elementwise import cast
from reflow.api.random import sampling
from reflow.compat.initializers import Initializer as Initializer
from reflow.compat.initializers import _fans as _compute_fans  # noqa: F401 - TensorFlow's name
from reflow.core import dtypes

_Kernel = dict[tuple[int, ...], Any]
_DIMENSIONS = {1: "three", 2: "four", 3: "five"}


def _assert_float_dtype(dtype: Any) -> dtypes.DType:
    """The dtype, or ValueError unless it is one of floats."""
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


def _check_filters(shape: list) -> None:
    if shape[-2] > shape[-1]:
        raise ValueError(
            f"In_filters, specified by shape[-2]={shape[-2]} cannot be greater than out_filters, specified by "
            f"shape[-1]={shape[-1]}."
        )


class _Orthogonal(Initializer):
    """Shared by the initializers: a factor, and random matrices that are orthogonal."""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(_assert_float_dtype(dtype))
        self.gain, self.seed = gain, seed

    def _orthogonal_matrix(self, n: int, dtype: dtypes.DType) -> Any:
        """A random orthogonal matrix of a size; the next one has the next seed."""
        q, r = solve.qr(sampling.normal([n, n], dtype=dtype, seed=self.seed))
        self.seed = self.seed + 1 if self.seed else self.seed
        return q * unary.sign(diag.diag_part(r))


class ConvolutionDeltaOrthogonal(_Orthogonal):
    """A kernel that is zero but for an orthogonal matrix in its middle."""

    def values(self, shape: list, dtype: dtypes.DType) -> Any:
        if not 3 <= len(shape) <= 5:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least three-dimensional and at "
                f"most five-dimensional. Received shape={shape}"
            )
        _check_filters(shape)
        seed = self.seed  # which this one keeps
        matrix = self._orthogonal_matrix(shape[-1], dtype)[: shape[-2], :] * cast(self.gain, dtype)
        self.seed = seed
        middle = [(size - 1) // 2 for size in shape[:-2]]
        return indexing.scatter_nd([middle], arrange.expand_dims(matrix, 0), shape)


class ConvolutionOrthogonal(_Orthogonal):
    """Base of the initializers for convolutions over one, two or three directions."""

    _rank = 0
    _projected = 0  # the position at which a block has P

    def values(self, shape: list, dtype: dtypes.DType) -> Any:
        self._check(shape)
        kernel = self._orthogonal_kernel(shape[0], shape[-2], shape[-1], dtype)
        flat = [kernel[at] for at in itertools.product(range(shape[0]), repeat=self._rank)]
        return arrange.reshape(arrange.stack(flat), shape) * cast(self.gain, dtype)

    def _check(self, shape: list) -> None:
        if len(shape) != self._rank + 2:
            received = f"Received: {shape}" if self._rank == 2 else f"Received shape={shape}"
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be "
                f"{_DIMENSIONS[self._rank]}-dimensional. {received}"
            )
        _check_filters(shape)
        if len(set(shape[: self._rank])) > 1:
            sizes = [f"shape[{i}]={size}" for i, size in enumerate(shape[: self._rank])]
            raise ValueError(f"Kernel sizes, specified by {',  '.join(sizes[:-1])} and {sizes[-1]} must be equal.")

    def _orthogonal_kernel(self, size: int, inputs: int, outputs: int, dtype: dtypes.DType) -> _Kernel:
        """The matrices of a kernel of a size in each direction."""
        first = self._orthogonal_matrix(outputs, dtype)[:inputs, :]
        if size == 1:
            return {(0,) * self._rank: first}
        kernel = self._block(outputs, dtype)
        for _ in range(size - 2):
            kernel = _convolved(kernel, self._block(outputs, dtype))
        return {at: products.matmul(first, matrix) for at, matrix in kernel.items()}

    def _symmetric_projection(self, n: int, dtype: dtypes.DType) -> Any:
        """A random projection of a random rank."""
        q = self._orthogonal_matrix(n, dtype)
        chosen = cast(sampling.normal([n], seed=self.seed) > 0, dtype)
        self.seed = self.seed + 1 if self.seed else self.seed
        columns = q * chosen
        return products.matmul(columns, columns, transpose_b=True)

    def _block(self, n: int, dtype: dtypes.DType) -> _Kernel:
        """An orthogonal kernel of size 2: at each position a product of P or I - P of each direction."""
        identity = creation.eye(n, dtype=dtype)
        projections = [self._symmetric_projection(n, dtype) for _ in range(self._rank)]
        pairs = [(p, identity - p) if self._projected == 0 else (identity - p, p) for p in projections]
        return {
            at: _product([pair[i] for pair, i in zip(pairs, at, strict=True)])
            for at in itertools.product((0, 1), repeat=self._rank)
        }


def _product(matrices: list) -> Any:
    result = matrices[0]
    for matrix in matrices[1:]:
        result = products.matmul(result, matrix)
    return result


def _convolved(first: _Kernel, second: _Kernel) -> _Kernel:
    """The convolution of two kernels, whose entries are multiplied as matrices."""
    result: _Kernel = {}
    for one, left in first.items():
        for two, right in second.items():
            at = tuple(i + j for i, j in zip(one, two, strict=True))
            product = products.matmul(left, right)
            result[at] = result[at] + product if at in result else product
    return result


class ConvolutionOrthogonal1D(ConvolutionOrthogonal):
    """For kernels of shape [width, inputs, outputs]."""

    _rank = 1


class ConvolutionOrthogonal2D(ConvolutionOrthogonal):
    """For kernels of shape [height, width, inputs, outputs]."""

    _rank = 2


class ConvolutionOrthogonal3D(ConvolutionOrthogonal):
    """For kernels of shape [depth, height, width, inputs, outputs]."""

    _rank, _projected = 3, 1


convolutional_delta_orthogonal = ConvolutionDeltaOrthogonal
convolutional_orthogonal_1d = ConvolutionOrthogonal1D
convolutional_orthogonal_2d = ConvolutionOrthogonal2D
convolutional_orthogonal_3d = ConvolutionOrthogonal3D
