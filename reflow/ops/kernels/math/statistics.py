"""Host ops of statistics: histograms, isotonic regression, Sobol sequences, the time."""

from __future__ import annotations

import time

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.convert import constant
from reflow.ops.dispatch import run
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.trace_words import Misfit


def _some_bins(f):
    if isinstance(f.values[2], int) and f.values[2] <= 0:
        raise Misfit(f"Requires nbins > 0: {f.values[2]}", (2,))


@op(
    "HistogramFixedWidth", fits="* [2] 0", shape=lambda f: [(f.values[2],)], trace_check=_some_bins, grad=NO_GRADIENT,
    host=True,
)
def histogram_fixed_width(_, values, value_range, nbins, dtype=None):
    require.vector("value_range", value_range, 2)
    low, high = (float(v) for v in value_range.reshape(-1))
    count = int(nbins)
    if not low < high:
        raise ValueError(f"value_range should satisfy value_range[0] < value_range[1], but got '[{low:g}, {high:g}]'")
    if count <= 0:
        raise ValueError(f"nbins should be a positive number, but got '{count}'")
    step = (high - low) / count
    bins = np.clip(np.floor((values.reshape(-1).astype(np.float64) - low) / step), 0, count - 1).astype(np.int64)
    out = np.bincount(bins, minlength=count)
    return out.astype(np.int32 if dtype is None else dtype.np_dtype)


def _pool(row) -> tuple[list, list]:
    """The nearest decreasing numbers, and which of them were pooled: neighbours that rise get their mean."""
    sums: list[float] = []
    counts: list[int] = []
    for x in row:
        total, n = float(x), 1
        while sums and sums[-1] / counts[-1] < total / n:
            total += sums.pop()
            n += counts.pop()
        sums.append(total)
        counts.append(n)
    means = [s / n for s, n in zip(sums, counts, strict=True) for _ in range(n)]
    return means, [i for i, n in enumerate(counts) for _ in range(n)]


def _isotonic_grad(attrs, inputs, outputs, cotangents, wanted):
    """Everybody in a pool gets the mean of the pool's cotangents."""
    (g, _), (_, segments) = cotangents, outputs
    same = run("Equal", run("ExpandDims", segments, constant(-1)), run("ExpandDims", segments, constant(-2)))
    same = run("Cast", same, DstT=g._dtype)
    share = run("RealDiv", same, run("Sum", same, constant(-1), keep_dims=True))
    return [run("Squeeze", run("BatchMatMulV2", share, run("ExpandDims", g, constant(-1))), squeeze_dims=[-1])]


@op("IsotonicRegression", shape=lambda f: [f.shapes[0]] * 2, grad_tensors=_isotonic_grad, host=True)
def isotonic_regression(_, input, output_dtype=None):
    rows = input.reshape(-1, input.shape[-1]) if input.size else input.reshape(0, 1)
    found = [_pool(row.tolist()) for row in rows]
    dtype = np.float32 if output_dtype is None else output_dtype.np_dtype
    means = np.array([m for m, _ in found], dtype).reshape(input.shape)
    return [means, np.array([s for _, s in found], np.int32).reshape(input.shape)]


def _sobol_shape(f):
    return [(f.values[1], f.values[0])]


@op("SobolSample", fits="0 0 0", shape=_sobol_shape, grad=NO_GRADIENT, host=True)
def sobol_sample(_, dim, num_results, skip, dtype=None):
    from scipy.stats import qmc

    require.scalars(dim=dim, num_results=num_results, skip=skip)
    dim, count, skip = int(dim), int(num_results), int(skip)
    refusals = {
        "dim must be at least one": dim < 1,
        "dim must be at most 21200": dim > 21200,
        "num_results must be at least one": count < 1,
        "skip must be non-negative": skip < 0,
        "num_results+skip must be less than 2147483647": count + skip >= 2**31 - 1,
        "num_results*dim must be less than 2147483647": count * dim >= 2**31 - 1,
    }
    for message, refused in refusals.items():
        if refused:
            raise ValueError(message)
    sequence = qmc.Sobol(dim, scramble=False).fast_forward(skip + 1)  # TensorFlow leaves out the point 0
    points = sequence.random(count)
    return points.astype(np.float32 if dtype is None else dtype.np_dtype)


@op("Timestamp", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True)
def timestamp(_):
    return np.array(time.time())
