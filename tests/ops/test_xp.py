"""The contract of `xp`: `host_xp` and `xla_xp` export the same names, and agree on values, dtypes and
shapes.

`xp_cases.py` lists the cases. All cases of one function run in one jitted program, so that a function costs one
compilation. LLVM compiles them without optimisations, in two thirds of the time; `test_table.py` compiles every op with
them.
"""

import inspect
import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from reflow.ops.xp import host as host_xp
from tests.ops.xp_cases import (
    BF16,
    BOOL,
    C64,
    C128,
    CASES,
    F8,
    F16,
    F32,
    F64,
    I8,
    I32,
    I64,
    LINALG,
    U8,
    U32,
    definite,
    index,
    matrices,
)

# (relative, absolute) by dtype. Narrow floats: XLA may keep float32 between two steps.
TOLERANCE = {
    F8: (0.13, 0.02),
    BF16: (1.6e-2, 1e-2),
    F16: (2e-3, 1e-3),
    F32: (2e-5, 1e-6),
    F64: (1e-10, 1e-12),
    C64: (5e-5, 1e-5),
    C128: (1e-10, 1e-12),
}
# Looser, with the reason.
LOOSE = {
    "lgamma": {F32: (1e-4, 1e-5)},  # XLA uses a Lanczos sum in float32
    "digamma": {F32: (1e-4, 1e-5)},
    "polygamma": {
        F32: (1e-3, 1e-4),
        F64: (1e-8, 1e-10),
    },  # the product gamma * zeta in float32, SciPy in float64
    "zeta": {F32: (1e-4, 1e-5)},
    "igamma": {F32: (1e-4, 1e-5), F64: (1e-9, 1e-10)},
    "igammac": {F32: (1e-4, 1e-5), F64: (1e-9, 1e-10)},
    "betainc": {F32: (1e-4, 1e-5), F64: (1e-9, 1e-10)},
    "erfinv": {F64: (1e-8, 1e-10)},
    "conv": {F32: (1e-4, 1e-5)},  # sums of some fifty products in another order
    "conv_backprop_input": {F32: (1e-4, 1e-5)},
    "conv_backprop_filter": {F32: (1e-4, 1e-5)},
    "prod": {F16: (1e-2, 1e-3)},
}


@pytest.fixture(autouse=True)
def quiet_numpy():
    """Kernels run with NumPy's floating-point warnings off."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture(scope="module")
def xla():
    from reflow.ops.xp import xla as xla_xp
    from reflow.ops.xp.xla.base import wide_types

    jax.config.update("jax_disable_most_optimizations", True)
    with wide_types():
        yield xla_xp
    jax.config.update("jax_disable_most_optimizations", False)


# --- running both sides ---------------------------------------------------------------------------


def _split(cases):
    """(the arrays of all cases, a function from arrays to cases)."""
    leaves, tree = jax.tree.flatten(cases)
    traced = [i for i, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray)]

    def rebuild(arrays):
        filled = list(leaves)
        for i, array in zip(traced, arrays, strict=True):
            filled[i] = array
        return jax.tree.unflatten(tree, filled)

    return [leaves[i] for i in traced], rebuild


def _run_xla(function, cases):
    arrays, rebuild = _split(cases)
    return jax.jit(lambda arrays: [function(*case) for case in rebuild(arrays)])(arrays)


def _check(name, case, got, expected):
    assert isinstance(got, np.ndarray), f"{name}: the host returned {type(got)}"
    expected = np.asarray(expected)
    about = f"{name}{tuple(a if not isinstance(a, np.ndarray) else f'{a.dtype}{a.shape}' for a in case)}"
    assert got.dtype == expected.dtype, f"{about}: host {got.dtype}, XLA {expected.dtype}"
    assert got.shape == expected.shape, f"{about}: host {got.shape}, XLA {expected.shape}"
    if got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected, err_msg=about)
        return
    rtol, atol = LOOSE.get(name, {}).get(got.dtype, TOLERANCE[got.dtype])
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(got.astype(wide), expected.astype(wide), rtol=rtol, atol=atol, err_msg=about)


def _compare(name, function_on_xla, function_on_host, cases):
    frozen = jax.tree.map(_read_only, cases)
    expected = _run_xla(function_on_xla, frozen)
    for case, want in zip(frozen, expected, strict=True):
        got = function_on_host(*case)
        gots, wants = (got, want) if isinstance(got, (tuple, list)) else ((got,), (want,))
        assert len(gots) == len(wants)
        for g, w in zip(gots, wants, strict=True):
            _check(name, case, g, w)


def _read_only(leaf):
    if isinstance(leaf, np.generic):
        leaf = np.asarray(leaf)
    if isinstance(leaf, np.ndarray):
        leaf.flags.writeable = False  # a host function that writes into an argument raises
    return leaf


@pytest.mark.parametrize("name", sorted(CASES))
def test_both_sides_agree(xla, name):
    _compare(name, getattr(xla, name), getattr(host_xp, name), CASES[name])


def test_decompositions_agree_up_to_phase(xla):
    """Singular and eigenvectors are unique only up to a factor: compare what they multiply to."""

    def svd(xp, x):
        s, u, v = xp.svd(x, False, True)
        us = xp.multiply(u, xp.cast(xp.expand_dims(s, (-2,)), u.dtype))
        return s, xp.matmul(us, xp.conj(xp.matrix_transpose(v)))

    def eigh(xp, x):
        w, v = xp.eigh(x)
        return w, xp.matmul(
            xp.multiply(v, xp.cast(xp.expand_dims(w, (-2,)), v.dtype)), xp.conj(xp.matrix_transpose(v))
        )

    def eig(xp, x):
        w, v = xp.eig(x)
        return xp.matmul(xp.multiply(v, xp.expand_dims(w, (-2,))), xp.inv(v))

    tall, square = matrices(LINALG, 2, 4, 3), matrices(LINALG, 2, 3, 3)
    for function, xs in ((svd, tall), (eigh, [definite(d, 2, 3, 3) for d in LINALG]), (eig, square)):
        cases = [(x,) for x in xs]
        _compare(
            function.__name__, lambda x, f=function: f(xla, x), lambda x, f=function: f(host_xp, x), cases
        )


# --- the contract's other clauses -----------------------------------------------------------------


def test_names_and_signatures(xla):
    assert sorted(host_xp.__all__) == sorted(xla.__all__) == sorted(CASES)
    for name in host_xp.__all__:
        mine, theirs = (inspect.signature(getattr(module, name)) for module in (host_xp, xla))
        assert mine == theirs, f"{name}: host {mine}, XLA {theirs}"


def test_shape_queries(xla):
    for xp in (host_xp, xla):
        x = np.zeros((2, 3))
        assert (xp.shape(x), xp.ndim(x), xp.size(x)) == ((2, 3), 2, 6)


def test_the_host_side_does_not_import_jax():
    code = "import sys, reflow.ops.xp.host; sys.exit('jax' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_debug_mode_refuses_different_dtypes():
    code = "import numpy as np, reflow.ops.xp.host as xp; xp.add(np.ones(2), np.ones(2, 'f4'))"
    run = [
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"REFLOW_DEBUG": flag}, capture_output=True
        )
        for flag in ("1", "0")
    ]
    assert b"add needs equal dtypes, received float64 and float32" in run[0].stderr
    assert run[1].returncode == 0


def test_xla_takes_ndarrays_of_different_shapes_without_jit(xla):
    result = xla.add(np.ones((2, 1), F32), np.ones((3,), F32))
    assert isinstance(result, jax.Array) and result.shape == (2, 3)


def test_xla_refuses_different_dtypes(xla):
    with pytest.raises(TypeError):
        xla.add(np.ones((2,), F32), np.ones((2,), F64))


# --- where NumPy, jax.numpy and TensorFlow disagree: TensorFlow 2.21's answers (design notes, D2) -

NAN, INF = np.nan, np.inf

TENSORFLOW = {
    "sum(int32)": (lambda xp: xp.sum(index(1, 2), (0,)), I32, 3),
    "sum(int8) wraps": (lambda xp: xp.sum(index(100, 100, dtype=I8), (0,)), I8, -56),
    "prod(int8)": (lambda xp: xp.prod(index(3, 4, dtype=I8), (0,)), I8, 12),
    "cumsum(int8)": (lambda xp: xp.cumsum(index(100, 100, dtype=I8), 0), I8, [100, -56]),
    "mean(int32) truncates": (lambda xp: xp.mean(index(-3, -4), (0,)), I32, -3),
    "mean(uint8) does not wrap": (lambda xp: xp.mean(index(200, 200, dtype=U8), (0,)), U8, 200),
    "mean of nothing": (lambda xp: xp.mean(np.zeros((0,), F32), (0,)), F32, NAN),
    "sum(bfloat16 ones)": (lambda xp: xp.sum(np.ones(1000, BF16), (0,)), BF16, 1000),
    "matmul(bfloat16)": (
        lambda xp: xp.matmul(np.ones((1, 500), BF16), np.ones((500, 1), BF16)),
        BF16,
        [[500]],
    ),
    "einsum(bfloat16)": (lambda xp: xp.einsum("i,i->", np.ones(500, BF16), np.ones(500, BF16)), BF16, 500),
    "searchsorted dtype": (lambda xp: xp.searchsorted(index(1, 3), index(2), "left", I32), I32, [1]),
    "argmax skips NaN": (lambda xp: xp.argmax(np.array([1, NAN, 2], F32), 0, I64), I64, 2),
    "argmax of NaN alone": (lambda xp: xp.argmax(np.array([NAN, NAN], F32), 0, I64), I64, 0),
    "argmax(NaN, -inf)": (lambda xp: xp.argmax(np.array([NAN, -INF], F32), 0, I64), I64, 0),
    "max of nothing": (lambda xp: xp.max(np.zeros((0,), F32), (0,)), F32, -INF),
    "int max of nothing": (lambda xp: xp.max(np.zeros((2, 0), I32), (1,)), I32, [-(2**31)] * 2),
    "min of nothing": (lambda xp: xp.min(np.zeros((0,), BF16), (0,)), BF16, INF),
    "max keeps NaN": (lambda xp: xp.max(np.array([1, NAN, 2], F16), (0,)), F16, NAN),
    "maximum keeps NaN": (
        lambda xp: xp.maximum(np.array([1, NAN], F32), np.array([NAN, 1], F32)),
        F32,
        [NAN, NAN],
    ),
    "empty segments": (
        lambda xp: xp.unsorted_segment("max", np.array([1, -INF], F32), index(0, 1), 3),
        F32,
        [1, np.finfo(F32).min, np.finfo(F32).min],
    ),
    "cast complex to bool": (lambda xp: xp.cast(np.array([2j, 1], C64), BOOL), BOOL, [False, True]),
    "cast NaN to bool": (lambda xp: xp.cast(np.array([NAN, -0.0], F32), BOOL), BOOL, [True, False]),
    "sign": (lambda xp: xp.sign(np.array([-0.0, NAN, -2], F32)), F32, [0, NAN, -1]),
    "0-d results": (lambda xp: xp.add(np.array(1, F32), np.array(2, F32)), F32, 3),
    "log(-1)": (lambda xp: xp.log(np.array(-1, F32)), F32, NAN),
    "1 / 0": (lambda xp: xp.divide(np.array(1, F32), np.array(0, F32)), F32, INF),
    "overflow": (lambda xp: xp.exp(np.array(1000, F32)), F32, INF),
    "float floor_divide": (
        lambda xp: xp.floor_divide(np.array([1, -1], F32), np.array([0.1, INF], F32)),
        F32,
        [10, -0.0],
    ),
    "floor_mod": (lambda xp: xp.floor_mod(index(-7, 7, -7), index(2, -2, -2)), I32, [1, -1, -1]),
    "float floor_mod": (
        lambda xp: xp.floor_mod(np.array([5, -5], F32), np.array([INF, INF], F32)),
        F32,
        [5, INF],
    ),
    "floor_divide": (lambda xp: xp.floor_divide(index(-7, 7, -7), index(2, -2, -2)), I32, [-4, -4, 3]),
    "truncate_div": (lambda xp: xp.truncate_div(index(-7, 7), index(2, -2)), I32, [-3, -3]),
    "truncate_mod": (lambda xp: xp.truncate_mod(index(-7, 7), index(2, -2)), I32, [-1, 1]),
    "int power wraps": (lambda xp: xp.power(index(2, 3), index(31, 41)), I32, [-(2**31), 2069870691]),
    "rint": (lambda xp: xp.rint(np.array([0.5, 1.5, -0.5, 2.5], F32)), F32, [0, 2, -0.0, 2]),
    "digamma": (lambda xp: xp.digamma(np.array([0, -1, INF, -INF], F32)), F32, [NAN, NAN, INF, NAN]),
    "lgamma": (lambda xp: xp.lgamma(np.array([0, -1, INF, -INF], F32)), F32, [INF, INF, INF, INF]),
    "ndtri": (lambda xp: xp.ndtri(np.array([0, 1, 0.5, -1], F32)), F32, [-INF, INF, 0, NAN]),
    "population_count(-1)": (lambda xp: xp.population_count(index(-1, 3, dtype=I8)), U8, [8, 2]),
    "exclusive logcumsumexp": (
        lambda xp: xp.logcumsumexp(np.array([1, -INF, 2], F32), 0, True),
        F32,
        [-INF, 1, 1],
    ),
    "failed cholesky": (
        lambda xp: xp.diag_part(xp.cholesky(np.array([[1, 2], [2, 1]], F32))),
        F32,
        [NAN, NAN],
    ),
    "stable sort": (lambda xp: xp.argsort(index(1, 0, 1, 0), 0, True), I32, [0, 2, 1, 3]),
    "top_k ties": (lambda xp: xp.top_k(index(1, 3, 3, 1), 3)[1], I32, [1, 2, 0]),
    "NaN sorts last": (lambda xp: xp.sort(np.array([3, NAN, 1], BF16), 0), BF16, [1, 3, NAN]),
    "max_pool_grad at the first": (
        lambda xp: xp.max_pool_grad(
            np.array([1, 1, 2, 2, 2, 1], F32).reshape(1, 6, 1),
            np.array([1, 2, 2, 2, 2, 2], F32).reshape(1, 6, 1),
            np.ones((1, 6, 1), F32),
            (3,),
            (1,),
            ((1, 1),),
        ).reshape(-1),
        F32,
        [1, 0, 3, 1, 1, 0],
    ),
    "uint32 multiplication wraps": (
        lambda xp: xp.multiply(np.array([0xD2511F53], U32), np.array([0xFFFFFFFF], U32)),
        U32,
        [0xD2511F53 * 0xFFFFFFFF % 2**32],
    ),
}


@pytest.mark.parametrize("side", ["host", "xla"])
def test_tensorflow_behaviour(xla, side):
    xp = host_xp if side == "host" else xla
    functions = [function for function, _, _ in TENSORFLOW.values()]
    results = [f(xp) for f in functions] if side == "host" else jax.jit(lambda: [f(xp) for f in functions])()
    for (about, (_, dtype, expected)), got in zip(TENSORFLOW.items(), results, strict=True):
        assert got.dtype == dtype, f"{about}: {got.dtype}"
        np.testing.assert_array_equal(np.asarray(got).astype(F64), np.asarray(expected, F64), err_msg=about)


def test_integer_errors_do_not_crash_the_host():
    """Their errors belong to the op's checks; the kernel must survive."""
    zero, one = np.array([0, 0], I32), np.array([1, -1], I32)
    for function in (
        host_xp.floor_divide,
        host_xp.floor_mod,
        host_xp.truncate_div,
        host_xp.truncate_mod,
    ):
        assert function(one, zero).shape == (2,)
    assert host_xp.power(one, np.array([-1, -2], I32)).shape == (2,)
    assert host_xp.cast(np.array([NAN, 1e30], F32), I32).dtype == I32


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex64, np.complex128])
@pytest.mark.parametrize("shapes", [((100, 100), (100, 100)), ((100, 100), ()), ((), (1, 100)), ((3, 1, 1), (100, 1))])
def test_select_of_many_numbers_is_that_of_few(dtype, shapes):
    rng = np.random.default_rng(0)
    c = rng.random((100, 100)) < 0.5
    x, y = (np.array(rng.standard_normal(shape) * 3).astype(dtype) for shape in shapes)
    for other in (y, np.zeros_like(y)):
        got = host_xp.select(c, x, other)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, np.where(c, x, other))
    if x.dtype == np.float32:
        odd = np.where(rng.random(x.shape) < 0.5, np.float32(np.nan), -np.float32(0))
        np.testing.assert_array_equal(np.signbit(host_xp.select(c, odd, y)), np.signbit(np.where(c, odd, y)))
