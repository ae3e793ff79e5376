"""The cases of every function of `xp`, for `test_xp.py`: over its dtypes, 0-d, empty, broadcast and non-contiguous
shapes, NaN and infinity.

A *case* is one argument tuple; ndarrays in it are traced on the XLA side, everything else is static.
"""

import itertools

import ml_dtypes
import numpy as np

from reflow.ops.xp import host as host_xp

BOOL = np.dtype(bool)
I8, I16, I32, I64 = (np.dtype(t) for t in ("i1", "i2", "i4", "i8"))
U8, U16, U32, U64 = (np.dtype(t) for t in ("u1", "u2", "u4", "u8"))
F16, F32, F64 = (np.dtype(t) for t in ("f2", "f4", "f8"))
BF16, F8 = np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.float8_e4m3fn)
C64, C128 = np.dtype("c8"), np.dtype("c16")

INTS = (I8, I16, I32, I64, U8, U16, U32, U64)
FLOATS = (F16, BF16, F32, F64)
COMPLEX = (C64, C128)
NUMBERS = (I32, I64, U8, U32, *FLOATS, C64)
ALL = (BOOL, I8, I32, U32, U64, F16, BF16, F32, F64, C64, C128)

rng = np.random.default_rng(0)


# --- making arguments -----------------------------------------------------------------------------


def data(dtype, shape, low=-3.0, high=3.0):
    """Random values of a dtype; integers within [low, high], unsigned ones not below 0."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(max(int(low), 0) if dtype.kind == "u" else int(low), int(high) + 1, shape).astype(
            dtype
        )
    if dtype.kind == "c":
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
    return np.asarray(rng.uniform(low, high, shape)).astype(dtype)


def shapes(dtype, low=-3.0, high=3.0):
    """0-d, empty, a matrix and a non-contiguous matrix."""
    yield data(dtype, (), low, high)
    yield data(dtype, (0, 3), low, high)
    yield data(dtype, (2, 3), low, high)
    yield data(dtype, (3, 8), low, high)[::-1, ::3].T


def unary(dtypes, low=-3.0, high=3.0, special=(np.nan, np.inf, -np.inf, 0.0, -0.0)):
    cases = [(x,) for dtype in dtypes for x in shapes(dtype, low, high)]
    floats = [dtype for dtype in dtypes if dtype in FLOATS]
    return cases + [(np.array(special, dtype),) for dtype in floats if special]


def pairs(dtype, low=-3.0, high=3.0):
    yield data(dtype, (), low, high), data(dtype, (), low, high)
    yield data(dtype, (2, 3), low, high), data(dtype, (2, 3), low, high)
    yield data(dtype, (2, 1, 3), low, high), data(dtype, (4, 1), low, high)
    yield data(dtype, (0, 3), low, high), data(dtype, (3,), low, high)
    yield data(dtype, (4, 6), low, high)[::2].T, data(dtype, (1, 2), low, high)


EDGES = np.array(list(itertools.product([np.nan, np.inf, -np.inf, -1.0, 2.0], repeat=2))).T


def binary(dtypes, low=-3.0, high=3.0, special=True):
    cases = [pair for dtype in dtypes for pair in pairs(dtype, low, high)]
    floats = [dtype for dtype in dtypes if dtype in FLOATS]
    return cases + [tuple(EDGES.astype(dtype)) for dtype in floats if special]


def few(dtypes, low, high):
    """Two pairs of shapes for functions that take XLA a second to compile."""
    return [pair for dtype in dtypes for pair in list(pairs(dtype, low, high))[1:3]]


def nonzero(cases):
    """The second operand without zeros."""
    return [(x, np.where(y == 0, np.ones((), y.dtype), y), *rest) for x, y, *rest in cases]


def reductions(dtypes, low=-3.0, high=3.0, special=True):
    cases = []
    for dtype in dtypes:
        x = data(dtype, (2, 3, 4), low, high)
        cases += [(x, (0,)), (x, (0, 2), True), (x, (-1,)), (x, None), (x, ()), (x.T[::2], (1,))]
        cases += [(data(dtype, (), low, high), ()), (data(dtype, (2, 0), low, high), (1,))]
        if special and dtype in FLOATS:
            cases += [(np.array([[1, np.nan], [np.inf, 2]], dtype), (1,))]
    return cases


def running(dtypes, low=-3.0, high=3.0):
    flags = list(itertools.product((False, True), repeat=2))
    cases = [(data(dtype, (2, 5), low, high), 1, *f) for dtype in dtypes for f in flags]
    return (
        cases
        + [(data(dtype, (4, 3), low, high), -2) for dtype in dtypes]
        + [(np.zeros((2, 0), F32), 1, True, False)]
    )


def matrices(dtypes, *shape):
    return [data(dtype, shape) for dtype in dtypes]


def definite(dtype, *shape):
    x = data(dtype if dtype not in (F16, BF16) else F32, shape)
    return (x @ np.conjugate(x.swapaxes(-1, -2)) + 3 * np.eye(shape[-1], dtype=x.dtype)).astype(dtype)


def index(*values, dtype=I32):
    return np.array(values, dtype)


# --- the table ------------------------------------------------------------------------------------

SCATTER_MODES = ("set", "add", "sub", "max", "min", "mul")
LINALG = (F32, F64, C64, C128)
PAD3 = ((1, 2), (0, 0), (0, 3))

CASES = {
    # creation
    "const": [(2.0, data(dtype, (2,))) for dtype in (F16, BF16, F32, I32, C64)],
    "asarray": [([1, 2], I8), ([[1.5]], BF16), (3, F64), ([True, False], BOOL), ([], F32)],
    "zeros": [((2, 3), dtype) for dtype in ALL] + [((), F32), ((0,), I32)],
    "ones": [((2, 3), dtype) for dtype in ALL] + [((), F32)],
    "full": [((2, 3), 2, dtype) for dtype in ALL] + [((2,), np.array(1.5, F32), F32)],
    "zeros_like": unary(ALL, special=()),
    "ones_like": unary(ALL, special=()),
    "iota": [(5, dtype) for dtype in (I32, I64, U8, F16, BF16, F32, F64)] + [(0, I32)],
    "arange": [
        (0, 10, 3, I32),
        (5, 0, -2, I64),
        (3, 3, 1, I32),
        (0.0, 1.0, 0.3, F32),
        (1.0, 0.0, -0.25, BF16),
    ]
    + [(0.0, 0.0, 1.0, F64), (1, 4, 1, F32)],
    "eye": [(3, 4, dtype) for dtype in (F32, I32, BF16, C64, BOOL)] + [(0, 2, F32)],
    "lowest": [(dtype,) for dtype in (BOOL, I8, U32, F16, BF16, F32, F64)],
    "highest": [(dtype,) for dtype in (BOOL, I8, U32, F16, BF16, F32, F64)],
    # dtypes
    "cast": [
        (data(a, (2, 3), 0 if b.kind == "u" else -3), b)
        for a in (*ALL, F8)
        for b in (*ALL, F8)
        if b.kind != "b" or a != F8
    ]
    + [
        (np.array(2.7, F32), I32),
        (np.array([-2.7, 2.7], F64), I8),
        (np.array([np.nan, 0.0, -0.0, 0.5], F32), BOOL),
    ]
    + [(np.array([2j, 1 + 1j], C64), BOOL), (data(F32, (4, 4))[::2, ::2], F64)],
    "bitcast": [
        (data(F32, (2, 3)), I32),
        (data(F32, (2, 3)), U8),
        (data(U8, (3, 4)), F32),
        (data(BF16, (2,)), U16),
    ]
    + [
        (data(F64, ()), U32),
        (data(U32, (3, 2), 0, 9), U64),
        (data(F32, (4, 3)).T, I32),
        (data(C64, (2, 3)), F32),
    ]
    + [(data(C64, (3,)), I64), (data(F32, (3, 2)), C64), (data(I64, (3,)), C64), (data(C64, (2,)), U8)],
    # shape
    "shape": [],
    "ndim": [],
    "size": [],
    "reshape": [(data(dtype, (2, 6)), (3, 4)) for dtype in ALL]
    + [
        (data(F32, (2, 6)), (-1, 3)),
        (data(F32, ()), (1, 1)),
        (data(F32, (4, 3)).T, (6, 2)),
        (data(F32, (0, 3)), (3, 0)),
    ],
    "transpose": [(data(F32, (2, 3, 4)), (2, 0, 1)), (data(BF16, (2, 3)), (1, 0)), (data(F32, ()), ())],
    "matrix_transpose": [(data(F32, (2, 3, 4)),), (data(C64, (0, 3)),)],
    "broadcast_to": [
        (data(F32, (2, 1)), (4, 2, 3)),
        (data(I32, ()), (2, 2)),
        (data(F32, (3,)), (3,)),
        (data(F32, (1, 3)), (0, 3)),
    ],
    "expand_dims": [
        (data(F32, (2, 3)), (0, -1)),
        (data(F32, ()), (0,)),
        (data(I32, (2,)), (1, 2)),
        (data(F32, (2, 3)), ()),
    ],
    "squeeze": [(data(F32, (1, 2, 1)), (0, -1)), (data(F32, (1, 2, 1)), (2,)), (data(F32, (1, 1)), (0, 1))],
    "concat": [([data(dtype, (2, 3)), data(dtype, (2, 1)), data(dtype, (2, 0))], -1) for dtype in ALL],
    "stack": [
        ([data(dtype, (2, 3)), data(dtype, (2, 3))], axis)
        for dtype in (F32, BF16, BOOL)
        for axis in (0, -1, 1)
    ]
    + [([data(F32, ()), data(F32, ())], 0)],
    "split": [(data(F32, (2, 6)), (1, 0, 5), 1), (data(I32, (4,)), (2, 2), -1)],
    "pad": [(data(dtype, (2, 3, 1)), PAD3, np.array(1, dtype)) for dtype in ALL]
    + [(data(F32, ()), (), np.array(0, F32)), (data(F32, (0, 2)), ((1, 0), (0, 0)), np.array(7, F32))],
    "mirror_pad": [(data(F32, (3, 4)), ((2, 1), (0, 3)), mode) for mode in ("REFLECT", "SYMMETRIC")]
    + [(data(BF16, (3,)), ((3, 3),), "SYMMETRIC"), (data(I32, (2, 2)), ((0, 0), (1, 1)), "REFLECT")],
    "mirror_pad_grad": [(data(F32, (6, 7)), ((2, 1), (0, 3)), mode) for mode in ("REFLECT", "SYMMETRIC")]
    + [(data(BF16, (9,)), ((3, 3),), "SYMMETRIC")],
    "flip": [(data(F32, (2, 3)), (0,)), (data(BOOL, (2, 3)), (0, -1)), (data(F32, (2, 3)), ())],
    "tile": [
        (data(F32, (2, 3)), (2, 3)),
        (data(F32, (2,)), (0,)),
        (data(F32, ()), ()),
        (data(BF16, (1, 2)), (3, 1)),
    ],
    "roll": [
        (data(F32, (3, 4)), (1, -5), (0, 1)),
        (data(F32, (3, 4)), (9,), (-1,)),
        (data(F32, (0,)), (1,), (0,)),
    ]
    + [(data(F32, (3, 4)), (index(k)[0:1].reshape(()),), (1,)) for k in (-7, -1, 0, 3, 4, 9)],
    "slice": [
        (data(F32, (4, 5)), (1, 0), (2, 5)),
        (data(F32, (4, 5)), (4, 0), (0, 1)),
        (data(F32, ()), (), ()),
    ],
    "strided_slice": [
        (data(F32, (7, 5)), begin, end, strides)
        for begin, end, strides in [
            ((1, 0), (7, 5), (2, 1)),
            ((6, 4), (-1, 0), (-2, -1)),
            ((5,), (2,), (-1,)),
            ((0, 3), (0, 3), (1, 1)),
            ((2, 9), (4, -1), (1, -3)),
            ((0,), (2,), (-1,)),
            ((-3,), (-1,), (1,)),
        ]
    ],
    "strided_slice_grad": [
        (data(F32, shape), (7, 5), begin, end, strides)
        for shape, begin, end, strides in [
            ((3, 5), (1, 0), (7, 5), (2, 1)),
            ((4, 4), (6, 4), (-1, 0), (-2, -1)),
            ((3, 5), (5,), (2,), (-1,)),
            ((0, 0), (0, 3), (0, 3), (1, 1)),
        ]
    ],
    "dynamic_slice": [
        (data(F32, (4, 5)), [index(i)[0], index(j)[0]], (2, 3)) for i, j in ((1, 2), (-1, 9), (3, 0))
    ],
    "dynamic_update_slice": [
        (data(F32, (4, 5)), data(F32, (2, 3)), [index(i).reshape(()), index(j).reshape(())])
        for i, j in ((1, 2), (-1, 9))
    ],
    "select": [(data(BOOL, (2, 1)), data(dtype, (2, 3)), data(dtype, ())) for dtype in ALL]
    + [(np.array(True), data(F32, ()), data(F32, ())), (data(BOOL, (0,)), data(F32, (1,)), data(F32, (0,)))],
    # gathering and scattering
    "take": [(data(dtype, (4, 3)), index(0, 3, 3), 0) for dtype in ALL]
    + [(data(F32, (4, 3)), np.array(1, I64), axis) for axis in (0, -1)]
    + [
        (data(F32, (4, 3)), index(9, -2), 0),
        (data(F32, (3,)), np.array(2, I32), 0),
        (data(F32, (0, 2)), index(), 0),
    ]
    + [
        (data(F32, (2, 4, 3)), index([0, 1], [2, 3]), 1),
        (data(F32, (2, 4, 3)), index([0, 1, 1], [3, 2, 0]), 1, 1),
    ]
    + [
        (data(F32, (2, 3, 4, 5)), index([[0], [1]], [[3], [2]]), 2, 1),
        (data(F32, (2, 3)), index(0, 2), 1, 1),
    ],
    "take_along_axis": [
        (data(dtype, (3, 4)), rng.integers(0, 4, (3, 2)), 1) for dtype in (F32, BF16, I32, BOOL)
    ]
    + [(data(F32, (3, 4)), rng.integers(0, 3, (5, 4)).astype(I32), 0), (data(F32, (3,)), index(2, 2, 0), -1)],
    "gather_nd": [(data(dtype, (3, 4)), index([0, 1], [2, 3])) for dtype in (F32, BF16, I32, BOOL)]
    + [
        (data(F32, (3, 4, 2)), index([[2]], [[0]])),
        (data(F32, (3,)), np.zeros((2, 0), I32)),
        (data(F32, (3, 2)), index(1, 1)),
    ]
    + [(data(F32, (3, 2)), np.zeros((0, 1), I64))],
    "scatter_nd": [
        (
            mode,
            data(dtype, (4, 3)),
            index([0], [2], [2]) if mode != "set" else index([0], [2], [-1]),
            data(dtype, (3, 3)),
        )
        for mode in SCATTER_MODES
        for dtype in (I32, F32, BF16)
    ]
    + [
        ("add", data(F32, (4, 3)), index([0, 1], [9, 0], [3, 2]), data(F32, (3,))),
        ("set", data(BOOL, (4,)), index([1]), np.array([True])),
    ]
    + [
        ("add", data(C64, (4,)), index([[1], [1]], [[2], [0]]), data(C64, (2, 2))),
        ("add", data(F32, (3,)), np.zeros((0, 1), I32), data(F32, (0,))),
    ],
    "scatter_rows": [
        (mode, data(dtype, (4, 3)), index(0, 2, 2) if mode != "set" else index(0, 2, 9), data(dtype, (3, 3)))
        for mode in SCATTER_MODES
        for dtype in (I32, F32, F16)
    ]
    + [
        ("add", data(F32, (4,)), index([0, 1], [1, -1]), data(F32, (2, 2))),
        ("set", data(F32, (4, 2)), np.array(1, I64), data(F32, (2,))),
    ],
    "unsorted_segment": [
        (mode, data(dtype, (4, 2)), index(0, 2, 0, -1), 4)
        for mode in ("sum", "max", "min", "prod")
        for dtype in (I32, U8, *FLOATS)
    ]
    + [
        ("sum", data(C64, (2, 2)), index([0, 1], [1, 5]), 3),
        ("max", np.array([-np.inf, np.nan], F32), index(0, 1), 2),
    ],
    # gradient helpers
    "sum_to_like": [
        (data(dtype, (4, 2, 3)), data(dtype, shape))
        for dtype in (F32, BF16)
        for shape in ((2, 1), (), (4, 2, 3), (1, 1, 3))
    ]
    + [(data(F32, (0, 3)), data(F32, (1, 3)))],
    "broadcast_like": [(data(F32, (2, 1)), data(F32, (3, 2, 4)))],
    "reshape_like": [(data(F32, (2, 3)), data(I32, (6,)))],
    "keep_axes": [
        (data(F32, (3,)), data(F32, (2, 3, 4)), (0, -1), False),
        (data(F32, (2, 1)), data(F32, (2, 3)), (1,), True),
    ],
    "unreduce": [
        (data(F32, (3,)), data(F32, (2, 3, 4)), (0, -1), False),
        (data(F32, (2, 1)), data(F32, (2, 3)), (1,), True),
    ],
    "size_ratio": [(data(F32, (2, 3)), data(F32, (2,))), (data(F64, ()), data(F64, ()))],
    "igamma_grad_a": [(data(F32, (2, 1), 0.5, 3), data(F32, (3,), 0.5, 3))],
    "broadcast_rows": [(data(BOOL, shape), data(F32, (2, 3, 4))) for shape in ((2,), (), (2, 3, 4))],
    "broadcast_prefix": [(data(BOOL, (2, 3)), data(F32, (2, 3, 4))), (np.array(True), data(F32, (2,)))],
    "segment_sum_like": [(data(F32, (4, 2)), index(0, 2, 0, -1), data(F32, (3, 2)))],
    "segment_prod_like": [(data(F32, (4, 2)), index(0, 2, 0, -1), data(F32, (3, 2)))],
    "lowest_like": [(data(dtype, (2,)),) for dtype in (I32, BF16, F64)],
    # unary
    "negative": unary((I32, U32, *FLOATS, F8, *COMPLEX)),
    "abs": unary((I8, I32, *FLOATS, *COMPLEX)),
    "sign": unary((I32, *FLOATS, *COMPLEX)),
    "exp": unary((*FLOATS, F8, *COMPLEX)),
    "expm1": unary((*FLOATS, *COMPLEX)),
    "log": unary((*FLOATS, *COMPLEX)),
    "log1p": unary((*FLOATS, *COMPLEX)),
    "sqrt": unary((*FLOATS, *COMPLEX)),
    "rsqrt": unary((*FLOATS, *COMPLEX)),
    "square": unary((I32, U32, *FLOATS, *COMPLEX)),
    "reciprocal": unary((*FLOATS, *COMPLEX)),
    "sin": unary((*FLOATS, *COMPLEX)),
    "cos": unary((*FLOATS, *COMPLEX)),
    "tan": unary((*FLOATS, *COMPLEX), -1, 1),
    "asin": unary((*FLOATS, *COMPLEX), -1, 1),
    "acos": unary((*FLOATS, *COMPLEX), -1, 1),
    "atan": unary((*FLOATS, *COMPLEX), -0.9, 0.9),
    "sinh": unary((*FLOATS, *COMPLEX)),
    "cosh": unary((*FLOATS, *COMPLEX)),
    "asinh": unary((*FLOATS, *COMPLEX)),
    "acosh": unary((*FLOATS, *COMPLEX), 1, 4),
    "atanh": unary((*FLOATS, *COMPLEX), -0.9, 0.9),
    "tanh": unary((*FLOATS, *COMPLEX)),
    "sigmoid": unary((*FLOATS, *COMPLEX)),
    "softplus": unary(FLOATS, -40, 40),
    "relu": unary((I32, *FLOATS)),
    "erf": unary(FLOATS),
    "erfc": unary(FLOATS),
    "erfinv": unary(FLOATS, -0.95, 0.95, (np.nan, 1.0, -1.0, 0.0, 2.0)),
    "ndtri": unary(FLOATS, 0.05, 0.95, (np.nan, 1.0, 0.0, 0.5, -1.0)),
    "lgamma": unary(FLOATS, 0.3, 6, (np.nan, np.inf, 0.0, -1.0, -1.5)),
    "digamma": unary(FLOATS, 0.3, 6, (np.nan, np.inf, -np.inf, 0.0, -1.0, -1.5)),
    "bessel_i0e": unary((F32, F64)),
    "bessel_i1e": unary((F32, F64)),
    "floor": unary(FLOATS),
    "ceil": unary(FLOATS),
    "rint": unary((I32, *FLOATS), special=(0.5, 1.5, 2.5, -0.5, -2.5, np.nan, np.inf)),
    "trunc": unary(FLOATS),
    "isnan": unary(FLOATS),
    "isinf": unary(FLOATS),
    "isfinite": unary(FLOATS),
    "logical_not": unary((BOOL,)),
    "bitwise_not": unary(INTS),
    "real": unary((F32, *COMPLEX)),
    "imag": unary((F32, *COMPLEX)),
    "conj": unary((F32, *COMPLEX)),
    "angle": unary((F32, *COMPLEX), special=()),
    "population_count": unary(INTS, -100, 100),
    # binary
    "add": binary((*INTS, *FLOATS, F8, *COMPLEX)),
    "subtract": binary((*INTS, *FLOATS, *COMPLEX)),
    "multiply": binary((*INTS, *FLOATS, *COMPLEX))
    + [(np.array([2**32 - 1], U32), np.array([2**32 - 3], U32))],
    "divide": binary((*FLOATS, *COMPLEX), 0.5, 3),
    "floor_divide": nonzero(binary((*INTS, F32, F64), -9, 9))
    + [(np.array([1.0, 7], F32), np.array([0.1, -2], F32))],
    "floor_mod": nonzero(binary((*INTS, *FLOATS), -9, 9)),
    "truncate_div": nonzero(binary((*INTS, F32, F64), -9, 9)),
    "truncate_mod": nonzero(binary((*INTS, *FLOATS), -9, 9)),
    "power": binary((*FLOATS, C64), 0.5, 3) + binary(INTS, 0, 6),
    "maximum": binary((*INTS, *FLOATS)),
    "minimum": binary((*INTS, *FLOATS)),
    "atan2": binary(FLOATS),
    "equal": binary(ALL),
    "not_equal": binary(ALL),
    "less": binary((*INTS, *FLOATS)),
    "less_equal": binary((*INTS, *FLOATS)),
    "greater": binary((*INTS, *FLOATS)),
    "greater_equal": binary((*INTS, *FLOATS)),
    "logical_and": binary((BOOL,)),
    "logical_or": binary((BOOL,)),
    "logical_xor": binary((BOOL,)),
    "bitwise_and": binary(INTS, -99, 99),
    "bitwise_or": binary(INTS, -99, 99),
    "bitwise_xor": binary(INTS, -99, 99),
    "left_shift": binary(INTS, 0, 7) + [(np.array([2**63 + 5], U64), np.array([3], U64))],
    "right_shift": binary(INTS, 0, 7)
    + [(np.array([-8, -1], I32), np.array([1, 31], I32)), (np.array([2**64 - 1], U64), np.array([32], U64))],
    "nextafter": binary((F32, F64)),
    "complex": binary((F32, F64), special=False),
    "igamma": few((F32, F64), 0.3, 4)
    + [(np.array([1, 0, -1, 1, 1], F32), np.array([1, 1, 1, -1, np.inf], F32))],
    "igammac": few((F32, F64), 0.3, 4)
    + [(np.array([1, 0, -1, 1, 1], F32), np.array([1, 1, 1, -1, np.inf], F32))],
    "zeta": binary((F32, F64), 1.5, 4, False)
    + [(np.array([2.0, 1.0, 0.5, 2.0], F32), np.array([1, 2, 2, 0], F32))],
    "polygamma": [
        (np.array([0, 1, 2, 3, 1.5, -1], dtype), data(dtype, (2, 1), 0.5, 4)) for dtype in (F32, F64)
    ],
    "betainc": [
        (data(dtype, (3, 1), 0.5, 3), data(dtype, (4,), 0.5, 3), data(dtype, (), 0.1, 0.9))
        for dtype in (F32, F64)
    ],
    # reductions
    "sum": reductions(NUMBERS),
    "prod": reductions(NUMBERS, 1, 2, False),
    "mean": reductions((I8, *NUMBERS), -9, 9),
    "max": reductions((*INTS, *FLOATS)),
    "min": reductions((*INTS, *FLOATS)),
    "any": reductions((BOOL,)),
    "all": reductions((BOOL,)),
    "all_below": [
        (x, limit) for dtype in INTS for low in (0, -3) for x in shapes(dtype, low, 3) for limit in (4, 3, 100_000)
    ],
    "argmax": [
        (data(dtype, (3, 4)), axis, out)
        for dtype in (BOOL, *INTS, *FLOATS)
        for axis, out in ((0, I64), (-1, I32))
    ]
    + [(np.array([np.nan, 1, 3, np.nan, 3], dtype), 0, I32) for dtype in FLOATS],
    "argmin": [
        (data(dtype, (3, 4)), axis, out) for dtype in (*INTS, *FLOATS) for axis, out in ((0, I64), (-1, I32))
    ]
    + [(np.array([[np.nan, 1, 3], [np.nan, np.nan, np.nan]], dtype), 1, I32) for dtype in FLOATS],
    "cumsum": running((I8, I32, U32, *FLOATS, C64)),
    "cumprod": running((I8, I32, *FLOATS, C64), 1, 2),
    "cummax": running((I8, I32, U32, *FLOATS)),
    "cummin": running((I8, I32, U32, *FLOATS)),
    "logcumsumexp": running(FLOATS) + [(np.array([-np.inf, 1.0, -np.inf, 2.0], F32), 0)],
    # linear algebra
    "matmul": [
        (data(dtype, a), data(dtype, b))
        for dtype in (I32, *FLOATS, *COMPLEX)
        for a, b in (((3, 4), (4, 2)), ((2, 1, 3, 4), (5, 4, 2)))
    ]
    + [
        (data(F32, (2, 3, 4)), data(F32, (4, 5))),
        (data(F32, (4, 3)).T, data(F32, (5, 4)).T),
        (data(F32, (3, 0)), data(F32, (0, 2))),
    ],
    "einsum": [("ij,jk->ik", data(dtype, (2, 3)), data(dtype, (3, 4))) for dtype in (I32, *FLOATS, C64)]
    + [
        ("bij,bjk->bki", data(F32, (2, 3, 4)), data(F32, (2, 4, 5))),
        ("...ij,jk->...ik", data(F32, (2, 3, 4)), data(F32, (4, 5))),
        ("...ij,...jk->...ik", data(F32, (2, 1, 3, 4)), data(F32, (3, 4, 5))),
        ("i,j", data(F32, (2,)), data(F32, (3,))),
        ("ij,kj->k", data(F32, (2, 3)), data(F32, (4, 3))),
        ("ii->i", data(F32, (3, 3))),
        ("ij->ji", data(BF16, (2, 3))),
        ("ij->", data(BF16, (2, 3))),
        ("ij,jk,kl->il", data(F32, (2, 3)), data(F32, (3, 4)), data(F32, (4, 2))),
        ("btnh,bsnh->bnts", data(F32, (2, 3, 2, 4)), data(F32, (2, 5, 2, 4))),
        ("ij,ij->", data(F32, (2, 3)), data(F32, (2, 3))),
    ],
    "cholesky": [(definite(dtype, 2, 3, 3),) for dtype in LINALG]
    + [(definite(BF16, 3, 3),)]
    + [(np.array([[[4, 9], [2, 3]], [[1, 0], [2, 1]]], F32),)],
    "qr": [(data(dtype, (2, 4, 3)), full) for dtype in LINALG for full in (False, True)],
    "svd": [(data(dtype, (2, 4, 3)), False, False) for dtype in LINALG],
    "eigh": [],
    "eig": [],
    "solve": [(definite(dtype, 2, 3, 3), data(dtype, (2, 3, 2))) for dtype in LINALG]
    + [(definite(F32, 3, 3), data(F32, (2, 3, 1)))],
    "triangular_solve": [
        (definite(dtype, 2, 3, 3), data(dtype, (2, 3, 2)), lower, adjoint)
        for dtype in (F32, C64)
        for lower in (False, True)
        for adjoint in (False, True)
    ]
    + [
        (np.array([[1.0, 0], [2, 0]], F32), np.array([[1.0], [1]], F32)),
        (definite(F64, 3, 3), data(F64, (2, 3, 1))),
    ],
    "inv": [(definite(dtype, 2, 3, 3),) for dtype in LINALG],
    "slogdet": [(data(dtype, (2, 3, 3)),) for dtype in LINALG] + [(data(F32, (3, 3)),)],
    "det": [(data(dtype, (2, 3, 3)),) for dtype in LINALG] + [(data(F32, (3, 3)),)],
    "lu": [(data(dtype, (2, 3, 3)),) for dtype in LINALG] + [(data(F32, (3, 3)),)],
    "band_part": [
        (data(dtype, (2, 4, 3)), *band)
        for dtype in (F32, I32, BF16)
        for band in ((0, 0), (1, -1), (-1, 0), (0, 2))
    ],
    "diag_part": [(data(dtype, (2, 4, 3)),) for dtype in (F32, BF16, C64)] + [(data(F32, (3, 4)),)],
    "set_diag": [(data(F32, (2, 4, 3)), data(F32, (2, 3))), (data(I32, (3, 4)), data(I32, (3,)))],
    "diag": [(data(F32, (2, 3)),), (data(BOOL, (2,)),)],
    "fftn": [
        (data(C64, (2, 6)), "fft", (6,)),
        (data(C128, (2, 6)), "ifft", (4,)),
        (data(F32, (2, 5)), "rfft", (8,)),
        (data(C64, (2, 5)), "irfft", (8,)),
        (data(C64, (2, 5)), "irfft", (7,)),
        (data(C64, (2, 3, 4)), "fft", (3, 4)),
        (data(F64, (2, 3, 4)), "rfft", (2, 3)),
        (data(C64, (2, 3, 4, 5)), "ifft", (3, 4, 5)),
    ],
    "fft": [(data(C64, (2, 6)),)],
    "ifft": [(data(C64, (2, 6)),)],
    "rfft": [(data(F32, (2, 6)), 5)],
    "irfft": [(data(C64, (2, 4)), 6)],
    # sorting
    "sort": [
        (data(dtype, (3, 5)), axis, down)
        for dtype in (*INTS, *FLOATS)
        for axis, down in ((0, False), (-1, True))
    ]
    + [
        (np.array([1, np.nan, -np.inf, 2, np.inf, 1], dtype), 0, down)
        for dtype in FLOATS
        for down in (False, True)
    ],
    "argsort": [
        (data(dtype, (3, 5)), axis, down)
        for dtype in (I8, U32, *FLOATS)
        for axis, down in ((0, False), (-1, True))
    ]
    + [
        (np.array([1, np.nan, 0.0, 2, -0.0, np.inf, 1], dtype), 0, down)
        for dtype in FLOATS
        for down in (False, True)
    ]
    + [(np.zeros((0, 2), F32), 0, False)],
    "top_k": [(data(dtype, (3, 5)), k) for dtype in (I8, I32, U8, *FLOATS) for k in (1, 3)]
    + [(np.array([3, np.nan, 3, 1, np.inf, 3], dtype), 6) for dtype in FLOATS]
    + [(data(F32, (2, 3)), 0)],
    "searchsorted": [
        (np.sort(data(dtype, (2, 5)).astype(F64)).astype(dtype), data(dtype, (2, 7)), side, out)
        for dtype in (I32, F32, BF16, F64)
        for side, out in (("left", I32), ("right", I64))
    ]
    + [
        (np.array([1.0, 2, 2, 3], F32), np.array([0.0, 2, 9], F32), "right", I32),
        (np.zeros((0,), F32), data(F32, (2,)), "left", I32),
    ],
    # windows
    "conv": [
        (data(dtype, (2, 7, 6, 4)), data(dtype, (3, 2, 4, 5)), (2, 1), ((1, 1), (0, 1)))
        for dtype in (F16, BF16, F32, F64)
    ]
    + [
        (data(F32, (2, 7, 4)), data(F32, (3, 4, 5)), (1,), ((2, 2),), (2,)),
        (data(F32, (2, 4, 4, 4, 2)), data(F32, (2, 2, 2, 2, 3)), (1, 2, 1), ((0, 0), (1, 0), (0, 1))),
        (data(F32, (2, 5, 5, 4)), data(F32, (3, 3, 2, 6)), (1, 1), ((1, 1), (1, 1)), None, None, 2),
        (data(F32, (2, 5, 5, 4)), data(F32, (3, 3, 1, 8)), (2, 2), ((1, 1), (1, 1)), None, None, 4),
        (data(F32, (2, 3, 3, 4)), data(F32, (3, 3, 4, 2)), (1, 1), ((2, 2), (1, 2)), None, (2, 2)),
        (data(F32, (2, 5, 5, 4)), data(F32, (1, 1, 4, 3)), (1, 1), ((0, 0), (0, 0))),
        (data(F32, (2, 5, 5, 4)), data(F32, (2, 2, 4, 3)), (1, 1), ((-1, 0), (0, -1))),
        (data(F32, (0, 5, 5, 4)), data(F32, (2, 2, 4, 3)), (1, 1), ((0, 0), (0, 0))),
    ],
    "max_pool": [(data(dtype, (2, 7, 6, 3)), (3, 2), (2, 2), ((1, 1), (0, 0))) for dtype in (I32, *FLOATS)]
    + [
        (data(F32, (2, 7, 3)), (2,), (1,), ((0, 1),)),
        (data(F32, (1, 4, 4, 4, 2)), (2, 2, 2), (2, 2, 2), ((0, 0),) * 3),
        (data(F32, (1, 9, 8, 2)), (5, 4), (2, 3), ((2, 2), (1, 1))),
    ],
    "avg_pool": [(data(dtype, (2, 7, 6, 3)), (3, 2), (2, 2), ((1, 1), (0, 0))) for dtype in FLOATS]
    + [(data(F32, (2, 7, 3)), (2,), (1,), ((0, 1),))],
    "avg_pool_grad": [
        ((2, 7, 6, 3), data(dtype, (2, 4, 3, 3)), (3, 2), (2, 2), ((1, 1), (0, 0))) for dtype in FLOATS
    ]
    + [((2, 7, 3), data(F32, (2, 7, 3)), (2,), (1,), ((0, 1),))],
}


def _window_gradients():
    """Cases of the gradients, with an output gradient of the shape that the forward function gives."""
    CASES["conv_backprop_input"] = backprop_input = []
    CASES["conv_backprop_filter"] = backprop_filter = []
    for x, w, strides, padding, *rest in CASES["conv"]:
        dilations, lhs_dilation, groups = (*rest, *(None, None, 1)[len(rest) :])
        if lhs_dilation is None:
            g = data(x.dtype, host_xp.conv(x, w, strides, padding, dilations, None, groups).shape)
            backprop_input.append((x.shape, w, g, strides, padding, dilations, groups))
            backprop_filter.append((x, w.shape, g, strides, padding, dilations, groups))
    CASES["max_pool_grad"] = []
    for x, *geometry in CASES["max_pool"]:
        x = data(I8, x.shape, 0, 3).astype(x.dtype)  # many equal maxima
        y = host_xp.max_pool(x, *geometry)
        CASES["max_pool_grad"].append((x, y, data(x.dtype, y.shape), *geometry))


_window_gradients()
