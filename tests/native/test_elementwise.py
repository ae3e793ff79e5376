"""Functions of large float32 arrays in C++: exact to the last places, for numbers of every kind."""

import numpy as np
import pytest

from reflow import native
from tools.fuzz_kernels import DEFINITIONS

# of all sizes and signs, NaN and infinities among them
EVERY_KIND = np.arange(0, 2**32, 40_009, dtype=np.uint32).view(np.float32)
SPECIAL = np.array(
    [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 88.72, 89, -87.5, -103, -105, 3e38, -3e38, -0.9999999],
    np.float32,
)


@pytest.fixture(autouse=True)
def quiet():
    if not native.available():
        pytest.skip("there is no compiler")
    with np.errstate(all="ignore"):
        yield


def test_every_function_has_a_definition():
    assert DEFINITIONS.keys() == native.ELEMENTWISE


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
def test_results_are_exact_to_the_last_places(name):
    x = np.concatenate([EVERY_KIND, SPECIAL, np.linspace(-20, 20, 20_001, dtype=np.float32)])
    out = np.full_like(x, 7)
    native.elementwise(name)(x, out)
    expected = DEFINITIONS[name](x.astype(np.float64)).astype(np.float32)
    if name == "sigmoid":  # exp(-x) is infinite there, so the definition in float32 gives 0
        expected[x < -88.72] = 0
    np.testing.assert_array_equal(np.isnan(out), np.isnan(expected))
    known = ~np.isnan(expected)
    np.testing.assert_array_max_ulp(out[known], expected[known], 3)
    np.testing.assert_array_equal(np.signbit(out[known]), np.signbit(expected[known]))


def test_what_is_left_to_numpy():
    assert native.elementwise("sqrt") is None
