"""Gathering large rows: views, threads, and the plain way give the same."""

import numpy as np
import pytest

from reflow.ops.xp import host as xp
from reflow.ops.xp.host import rows

X = np.arange(600 * 1024, dtype=np.float32).reshape(600, 1024)
INDICES = {
    "consecutive": np.arange(40, 500),
    "shuffled": np.random.default_rng(0).permutation(600)[:400],
    "beyond both ends": np.array([-5, 700, 3] * 120),
    "descending": np.arange(599, -1, -1),
    "consecutive but beyond the end": np.arange(300, 601 + 99),
}


@pytest.mark.parametrize("indices", INDICES.values(), ids=INDICES)
def test_large_results_are_those_of_numpy(indices):
    assert indices.size * X[0].nbytes >= rows.LARGE
    expected = X[np.clip(indices, 0, 599)]
    got = xp.take(X, indices, 0)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_consecutive_rows_are_a_view_and_others_are_not():
    assert np.shares_memory(rows.take_rows(X, INDICES["consecutive"]), X)
    assert not np.shares_memory(rows.take_rows(X, INDICES["shuffled"]), X)
