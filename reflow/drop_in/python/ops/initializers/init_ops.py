"""`tensorflow.python.ops.init_ops`: convolution kernels that keep norms.

A *delta orthogonal* kernel is an orthogonal matrix at its centre, and zero elsewhere. The other kernels are convolutions of smaller ones, each
made of random projections P and their complements I - P: blocks of size 2 along each axis, then an orthogonal matrix.
"""

from __future__ import annotations

import itertools
from typing import Any, TypeAlias

from reflow.api.array import arrange, creation
from reflow.api.linalg import diag, solve
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic, unary
from reflow.api.random import sampling
from reflow.compat.initializers import Initializer
from reflow.core import dtypes

Blocks: TypeAlias = dict[tuple[int, ...], Any]  # the matrix at each place of a kernel


class _OfGain(Initializer):
    """An initializer with a factor and a seed."""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        if not self.dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {self.dtype}.")
        self.gain, self.seed = gain, seed

    def _matrix(self, size: int, dtype: Any) -> Any:
        """A random orthogonal matrix."""
        q, r = solve.qr(sampling.normal([size, size], dtype=dtype, seed=self.seed))
        return q * unary.sign(diag.diag_part(r))


def _check_filters(shape: list[int]) -> None:
    if shape[-2] > shape[-1]:
        raise ValueError(
            f"In_filters, specified by shape[-2]={shape[-2]} cannot be greater than out_filters, specified by shape[-1]={shape[-1]}."
        )


def _joined(blocks: Blocks, sizes: list[int]) -> Any:
    """The kernel from its matrices; places that have none are zero."""
    zero = creation.zeros_like(next(iter(blocks.values())))
    flat = [blocks.get(place, zero) for place in itertools.product(*map(range, sizes))]
    return arrange.reshape(arrange.stack(flat), [*sizes, *zero.shape])


class ConvolutionDeltaOrthogonal(_OfGain):
    """A kernel that is an orthogonal matrix at its centre."""

    def values(self, shape: list[int], dtype: Any) -> Any:
        if not 3 <= len(shape) <= 5:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least three-dimensional and at most "
                f"five-dimensional. Received shape={shape}"
            )
        _check_filters(shape)
        centre = tuple((size - 1) // 2 for size in shape[:-2])
        return _joined({centre: self.gain * self._matrix(shape[-1], dtype)[: shape[-2]]}, shape[:-2])


class ConvolutionOrthogonal(_OfGain):
    """The base of kernels that keep the norm of what they are applied to."""

    _axes = 0

    def values(self, shape: list[int], dtype: Any) -> Any:
        self._check(shape)
        size = shape[0]
        rows = self._next(self._matrix, shape[-1], dtype)[: shape[-2]]
        if size == 1:
            blocks: Blocks = {(0,) * self._axes: rows}
        else:
            blocks = self._pair(shape[-1], dtype)
            for _ in range(size - 2):
                blocks = _convolved(blocks, self._pair(shape[-1], dtype))
            blocks = {place: matmul(rows, block) for place, block in blocks.items()}
        return self.gain * _joined(blocks, shape[:-2])

    def _next(self, draw: Any, *args: Any) -> Any:
        """Draw with the seed, and count it up, also for the next kernel."""
        value = draw(*args)
        if self.seed:
            self.seed += 1
        return value

    def _pair(self, size: int, dtype: Any) -> Blocks:
        """A kernel of two places along each axis: products of a projection, or its complement, for each."""
        whole = creation.eye(size, dtype=dtype)
        projections = [self._projection(size, dtype) for _ in range(self._axes)]
        found: Blocks = {}
        for place in itertools.product((0, 1), repeat=self._axes):
            block = None
            for at, projection in zip(place, projections):
                factor = whole - projection if at else projection
                block = factor if block is None else matmul(block, factor)
            found[place] = block
        return found

    def _projection(self, size: int, dtype: Any) -> Any:
        q = self._next(self._matrix, size, dtype)
        chosen = self._next(lambda: sampling.normal([size], dtype=dtype, seed=self.seed))
        columns = q * arithmetic.cast(arithmetic.greater(chosen, 0), dtype)
        return matmul(columns, columns, transpose_b=True)

    def _check(self, shape: list[int]) -> None:
        number = {1: "three", 2: "four", 3: "five"}[self._axes]
        if len(shape) != self._axes + 2:
            given = "Received" if self._axes == 2 else "Received shape"
            separator = ": " if self._axes == 2 else "="
            raise ValueError(f"The tensor to initialize, specified by argument `shape` must be {number}-dimensional. {given}{separator}{shape}")
        _check_filters(shape)
        if len(set(shape[:-2])) > 1:
            sizes = [f"shape[{i}]={size}" for i, size in enumerate(shape[:-2])]
            words = " and ".join(sizes) if len(sizes) == 2 else f"{sizes[0]},  {sizes[1]} and {sizes[2]}"
            raise ValueError(f"Kernel sizes, specified by {words} must be equal.")


def _convolved(a: Blocks, b: Blocks) -> Blocks:
    """The convolution of two kernels of matrices."""
    found: Blocks = {}
    for (at, left), (by, right) in itertools.product(a.items(), b.items()):
        place = tuple(i + j for i, j in zip(at, by))
        product = matmul(left, right)
        found[place] = product if place not in found else found[place] + product
    return found


class ConvolutionOrthogonal1D(ConvolutionOrthogonal):
    """A kernel over sequences."""

    _axes = 1


class ConvolutionOrthogonal2D(ConvolutionOrthogonal):
    """A kernel over images."""

    _axes = 2


class ConvolutionOrthogonal3D(ConvolutionOrthogonal):
    """A kernel over volumes."""

    _axes = 3


convolutional_delta_orthogonal = ConvolutionDeltaOrthogonal
convolutional_orthogonal_1d = ConvolutionOrthogonal1D
convolutional_orthogonal_2d = ConvolutionOrthogonal2D
convolutional_orthogonal_3d = ConvolutionOrthogonal3D
