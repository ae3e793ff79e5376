"""Diagonals and bands of matrices, and matrices built from them.

A *band* of diagonals k0..k1 (0 the main one, positive above it) is stored as rows of equal length, the highest diagonal
first; shorter ones are padded on the left or right according to `align`, e.g. "RIGHT_LEFT": superdiagonals on the
right, subdiagonals on the left. A single diagonal has no row axis. The positions depend only on shapes: they are
computed once in NumPy, as indices for one gather.
"""

from __future__ import annotations

import functools

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.dispatch import dispatch
from reflow.ops.naming import Naming
from reflow.ops.registry import get, op


def _band(k) -> tuple[int, int]:
    """(k0, k1) from the operand k: a scalar, or a vector of one or two."""
    if np.ndim(k) > 1:
        raise ValueError(f"diag_index must be a scalar or vector, received shape: {rules.text(np.shape(k))}")
    flat = [int(v) for v in np.reshape(k, -1)]
    if len(flat) not in (1, 2):
        raise ValueError(f"diag_index must have one or two elements, received {len(flat)} elements.")
    if flat[0] > flat[-1]:
        raise ValueError(f"lower_diag_index must not be larger than upper_diag_index: {flat[0]} > {flat[-1]}")
    return flat[0], flat[-1]


def _longest(k0, k1, rows, cols):
    return min(rows + min(k1, 0), cols - max(k0, 0))


@functools.lru_cache(maxsize=256)
def _places(k0, k1, rows, cols, align):
    """For each (diagonal, position) of the band its index in a flat (rows, cols) matrix, -1 for padding."""
    above, below = align.split("_")
    longest = _longest(k0, k1, rows, cols)
    places = np.full((k1 - k0 + 1, longest), -1, np.int64)
    for d in range(k0, k1 + 1):
        length = min(rows + min(d, 0), cols - max(d, 0))
        on_left = (d >= 0 and above == "LEFT") or (d <= 0 and below == "LEFT")
        start = 0 if on_left else longest - length
        i = np.arange(length)
        places[k1 - d, start : start + length] = (i + max(-d, 0)) * cols + i + max(d, 0)
    return places


@functools.lru_cache(maxsize=256)
def _sources(k0, k1, rows, cols, align):
    """For each element of a (rows, cols) matrix its index in the flat band, -1 for elements outside."""
    places = _places(k0, k1, rows, cols, align).reshape(-1)
    sources = np.full(rows * cols, -1, np.int64)
    inside = places >= 0
    sources[places[inside]] = np.arange(places.size)[inside]
    return sources


def _gathered(xp, flat, indices, otherwise):
    """flat[..., indices], and `otherwise` (that broadcasts) where an index is -1."""
    taken = xp.take(flat, xp.asarray(np.maximum(indices, 0), np.dtype(np.int64)), flat.ndim - 1)
    if (indices >= 0).all():
        return taken
    return xp.select(xp.asarray(indices >= 0, np.dtype(bool)), taken, otherwise)


def _flat_band(xp, diagonal, k0, k1):
    """A band as (batch..., diagonals * length)."""
    if k0 == k1:
        return diagonal
    return xp.reshape(diagonal, (*diagonal.shape[:-2], diagonal.shape[-2] * diagonal.shape[-1]))


def _matrix(xp, diagonal, k, num_rows, num_cols, padding, align):
    require.scalar("padding_value", padding)
    if not diagonal.ndim:
        raise ValueError("diagonal must be at least 1-dim, received shape: []")
    k0, k1 = _band(k)
    longest = diagonal.shape[-1]
    least_rows, least_cols = longest - min(k1, 0), longest + max(k0, 0)
    rows, cols = int(num_rows), int(num_cols)
    if rows == -1 and cols == -1:
        rows = cols = max(least_rows, least_cols)
    rows = least_rows if rows == -1 else rows
    cols = least_cols if cols == -1 else cols
    if rows < least_rows or cols < least_cols or (rows != least_rows and cols != least_cols):
        raise ValueError(
            f"The number of rows ({rows}) or columns ({cols}) is not consistent with the specified "
            f"d_lower ({k0}), d_upper ({k1}) and diagonal."
        )
    batch = diagonal.shape[: diagonal.ndim - (1 if k0 == k1 else 2)]
    flat = _gathered(xp, _flat_band(xp, diagonal, k0, k1), _sources(k0, k1, rows, cols, align), padding)
    return xp.reshape(flat, (*batch, rows, cols))


def _band_of(xp, x, k, padding, align):
    if padding.shape != (1,):
        require.scalar("padding_value", padding)
    k0, k1 = _band(k)
    *batch, rows, cols = x.shape
    for d in (k0, k1):
        if not -rows < d < cols and d != 0:
            raise ValueError(f"Diagonal index {d} is out of bound: it must be between {-rows + 1} and {cols - 1}.")
    places = _places(k0, k1, rows, cols, align)
    flat = _gathered(xp, xp.reshape(x, (*batch, rows * cols)), places.reshape(-1), padding)
    return xp.reshape(flat, (*batch, *(places.shape[1:] if k0 == k1 else places.shape)))


def _with_band(xp, x, diagonal, k, align):
    k0, k1 = _band(k)
    if x.ndim < 2:
        raise ValueError(f"input must be at least 2-dim, received shape: {rules.text(x.shape)}")
    if not diagonal.ndim:
        raise ValueError("diagonal must be at least 1-dim, received shape: []")
    if k0 != k1 and diagonal.ndim < x.ndim:
        words = "Diagonal tensor rank must be large enough to contain a diagonal-count dimension"
        raise ValueError(f"{words}. Diagonal shape: {rules.text(diagonal.shape)}")
    *batch, rows, cols = x.shape
    _check_diagonal(x, diagonal, (*batch, *(() if k0 == k1 else (k1 - k0 + 1,)), _longest(k0, k1, rows, cols)))
    sources = _sources(k0, k1, rows, cols, align)
    flat = _gathered(xp, _flat_band(xp, diagonal, k0, k1), sources, xp.reshape(x, (*batch, rows * cols)))
    return xp.reshape(xp.broadcast_to(flat, (*batch, rows * cols)), x.shape)


def _check_diagonal(x, diagonal, expected: tuple[int, ...]) -> None:
    if diagonal.shape != expected:
        raise ValueError(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to "
            f"the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: {rules.text(x.shape)}\n"
            f"Diagonal shape: {rules.text(diagonal.shape)}\nExpected diagonal shape: {rules.text(expected)}"
        )


# --- shape rules ----------------------------------------------------------------------------------------------------


def _known_band(value):
    if value is None or not rules.known(value):
        return None
    return (value[0], value[-1]) if isinstance(value, tuple) else (value, value)


def _diag_shape(f):
    dims = f.shapes[0]
    if dims is None:
        return [None]
    if len(f.values) == 1:
        return [(*dims, dims[-1])]
    band, rows, cols = _known_band(f.values[1]), f.values[2], f.values[3]
    if band is None:
        return [None]
    batch = dims[:-1] if band[0] == band[1] else dims[:-2]
    if dims[-1] is None or rows is None or cols is None:
        return [(*batch, None, None)]
    least_rows, least_cols = dims[-1] - min(band[1], 0), dims[-1] + max(band[0], 0)
    if rows == -1 and cols == -1:
        rows = cols = max(least_rows, least_cols)
    return [(*batch, least_rows if rows == -1 else rows, least_cols if cols == -1 else cols)]


def _diag_part_shape(f):
    dims = f.shapes[0]
    band = _known_band(f.values[1]) if len(f.values) > 1 else (0, 0)
    if dims is not None and len(dims) < 2:
        raise ValueError(f"input must be at least 2-dim, received shape: {rules.text(dims)}")
    if dims is None or band is None:
        return [None]
    longest = None if None in dims[-2:] else _longest(*band, *dims[-2:])
    return [(*dims[:-2], *(() if band[0] == band[1] else (band[1] - band[0] + 1,)), longest)]


# --- ops ------------------------------------------------------------------------------------------------------------


def _zero_of(g):
    from reflow.ops.convert import from_array

    return from_array(np.zeros((), g._dtype.np_dtype))


def _diag_grad(attrs, inputs, outputs, cts, wanted):
    k, align = (inputs[1], attrs.get("align", _ALIGN[len(inputs)])) if len(inputs) > 1 else (_main(), "LEFT_LEFT")
    back = dispatch(get("MatrixDiagPartV3"), (cts[0], k, _zero_of(cts[0])), {"align": align})
    return (back,) + (None,) * (len(inputs) - 1)


def _main():
    from reflow.ops.convert import constant

    return constant(0)


_ALIGN = {1: "LEFT_LEFT", 5: "RIGHT_LEFT"}


def _diag_v2_grad(attrs, inputs, outputs, cts, wanted):
    return _diag_grad({"align": "LEFT_LEFT"}, inputs, outputs, cts, wanted)


@op("MatrixDiag", fits="1+", shape=_diag_shape, grad_tensors=_diag_grad)
def matrix_diag(xp, diagonal):
    if not diagonal.ndim:
        raise ValueError("diagonal must be at least 1-dim, received shape: []")
    return xp.diag(diagonal)


@op(
    "MatrixDiagV2", fits="1+ * 0 0 0", shape=_diag_shape, static=("k", "num_rows", "num_cols"),
    grad_tensors=_diag_v2_grad,
)
def matrix_diag_v2(xp, diagonal, k, num_rows, num_cols, padding_value):
    return _matrix(xp, diagonal, k, num_rows, num_cols, padding_value, "LEFT_LEFT")


@op(
    "MatrixDiagV3", fits="1+ 1- 0 0 0", shape=_diag_shape, static=("k", "num_rows", "num_cols"),
    grad_tensors=_diag_grad, naming=Naming("diag"),
)
def matrix_diag_v3(xp, diagonal, k, num_rows, num_cols, padding_value, align="RIGHT_LEFT"):
    return _matrix(xp, diagonal, k, num_rows, num_cols, padding_value, align)


def _diag_part_grad(align):
    def grad(attrs, inputs, outputs, cts, wanted):
        zeros = dispatch(get("ZerosLike"), (inputs[0],), {})
        k = inputs[1] if len(inputs) > 1 else _main()
        back = dispatch(get("MatrixSetDiagV3"), (zeros, cts[0], k), {"align": attrs.get("align", align)})
        return (back,) + (None,) * (len(inputs) - 1)

    return grad


@op("MatrixDiagPart", shape=_diag_part_shape, grad_tensors=_diag_part_grad("LEFT_LEFT"))
def matrix_diag_part(xp, input):
    return xp.diag_part(input)


@op(
    "MatrixDiagPartV2", fits="2+ * 0", shape=_diag_part_shape, static=("k",),
    grad_tensors=_diag_part_grad("LEFT_LEFT"),
)
def matrix_diag_part_v2(xp, input, k, padding_value):
    return _band_of(xp, input, k, padding_value, "LEFT_LEFT")


@op(
    "MatrixDiagPartV3", fits="2+ 1- 0", shape=_diag_part_shape, static=("k",),
    grad_tensors=_diag_part_grad("RIGHT_LEFT"), naming=Naming("diag_part"),
)
def matrix_diag_part_v3(xp, input, k, padding_value, align="RIGHT_LEFT"):
    return _band_of(xp, input, k, padding_value, align)


def _set_diag_grad(align):
    def grad(attrs, inputs, outputs, cts, wanted):
        (g,) = cts
        where = {"align": attrs.get("align", align)}
        k = inputs[2] if len(inputs) > 2 else _main()
        zeros = dispatch(get("ZerosLike"), (inputs[1],), {})
        rest = dispatch(get("MatrixSetDiagV3"), (g, zeros, k), where) if wanted[0] else None
        own = dispatch(get("MatrixDiagPartV3"), (g, k, _zero_of(g)), where) if wanted[1] else None
        return (rest, own) + (None,) * (len(inputs) - 2)

    return grad


@op("MatrixSetDiag", shape=rules.same, grad_tensors=_set_diag_grad("LEFT_LEFT"), trace_check=traced.set_diagonal)
def matrix_set_diag(xp, input, diagonal):
    _check_diagonal(input, diagonal, (*input.shape[:-2], min(input.shape[-2:])))
    return xp.set_diag(input, diagonal)


@op(
    "MatrixSetDiagV2", shape=rules.same, static=("k",), grad_tensors=_set_diag_grad("LEFT_LEFT"),
    trace_check=traced.set_diagonals,
)
def matrix_set_diag_v2(xp, input, diagonal, k):
    return _with_band(xp, input, diagonal, k, "LEFT_LEFT")


@op(
    "MatrixSetDiagV3", shape=rules.same, static=("k",), grad_tensors=_set_diag_grad("RIGHT_LEFT"),
    trace_check=traced.set_diagonals, naming=Naming("set_diag"),
)
def matrix_set_diag_v3(xp, input, diagonal, k, align="RIGHT_LEFT"):
    return _with_band(xp, input, diagonal, k, align)


def _band_part_grad(attrs, inputs, outputs, cts, wanted):
    return dispatch(get("MatrixBandPart"), (cts[0], *inputs[1:]), {}), None, None


def _band_checks(xp, attrs, input, num_lower, num_upper):
    found = []
    for name, number, what, axis in (("num_lower", num_lower, "rows", -2), ("num_upper", num_upper, "columns", -1)):
        if number.ndim or input.ndim < 2:
            return []  # the kernel says what is wrong
        limit = f"number of {what} ({input.shape[axis]})"
        message = f"{name} must be negative or less or equal to {limit}"
        found.append((xp.less_equal(number, xp.const(input.shape[axis], number)), message))
    return found


@op(
    "MatrixBandPart", shape=rules.same, checks=(_band_checks,), grad_tensors=_band_part_grad,
    needs=("num_lower", "num_upper"),
)
def matrix_band_part(xp, input, num_lower, num_upper):
    require.scalars(num_lower=num_lower, num_upper=num_upper)
    if input.ndim < 2:
        raise ValueError(f"input must be at least 2-dim, received shape: {rules.text(input.shape)}")
    if input.dtype == object:
        raise ValueError("MatrixBandPart takes numbers, and got strings")
    if isinstance(num_lower, np.ndarray) and isinstance(num_upper, np.ndarray):
        return xp.band_part(input, int(num_lower), int(num_upper))
    rows, columns = input.shape[-2:]
    row, column = xp.iota(rows, num_lower.dtype), xp.iota(columns, num_lower.dtype)
    below = xp.subtract(xp.reshape(row, (rows, 1)), xp.reshape(column, (1, columns)))
    zero = xp.const(0, num_lower)
    low = xp.logical_or(xp.less(num_lower, zero), xp.less_equal(below, num_lower))
    high = xp.logical_or(xp.less(num_upper, zero), xp.less_equal(xp.negative(below), num_upper))
    return xp.select(xp.logical_and(low, high), input, xp.const(0, input))


# --- diagonals of tensors -------------------------------------------------------------------------------------------


def _tensor_diag_shape(f):
    return [None if f.shapes[0] is None else f.shapes[0] * 2]


def _tensor_diag_part_shape(f):
    dims = f.shapes[0]
    return [None if dims is None else dims[: len(dims) // 2]]


def _diag_of_tensor_grad(attrs, inputs, outputs, cts, wanted):
    return (dispatch(get("DiagPart"), (cts[0],), {}),)


def _part_of_tensor_grad(attrs, inputs, outputs, cts, wanted):
    return (dispatch(get("Diag"), (cts[0],), {}),)


@op("Diag", fits="1+", shape=_tensor_diag_shape, grad_tensors=_diag_of_tensor_grad)
def diag(xp, diagonal):
    """A tensor of twice the rank with the elements at [i..., i...]."""
    if not diagonal.ndim:
        raise ValueError("Input must be at least rank 1, got 0")
    return xp.reshape(xp.diag(xp.reshape(diagonal, (-1,))), diagonal.shape * 2)


@op("DiagPart", shape=_tensor_diag_part_shape, grad_tensors=_part_of_tensor_grad, trace_check=traced.diag_part)
def diag_part(xp, input):
    count = input.ndim // 2
    if input.ndim % 2 or not count:
        raise ValueError(f"The rank of the tensor should be even and positive, got shape {rules.text(input.shape)}")
    half = input.shape[:count]
    for i, (a, b) in enumerate(zip(half, input.shape[count:], strict=True)):
        if a != b:
            raise ValueError(f"Invalid shape {rules.text(input.shape)}: dimensions {i} and {i + count} do not match.")
    n = int(np.prod(half))
    return xp.reshape(xp.diag_part(xp.reshape(input, (n, n))), half)
