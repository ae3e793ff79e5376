"""Large arrays on all cores: the same numbers as on one, also where the work cannot be shared."""

import numpy as np
import pytest

import reflow as tf
from reflow.ops.xp import host as xp
from reflow.ops.xp.host import threads

X = np.random.default_rng(0).standard_normal((700, 1024)).astype(np.float32)


@pytest.fixture
def shared(monkeypatch):
    """How often work was shared, by four threads."""
    calls = []
    share = threads.share
    monkeypatch.setattr(threads, "share", lambda *args: calls.append(1) or share(*args))
    monkeypatch.setattr(threads, "_count", lambda: 4)
    return calls


@pytest.mark.parametrize("word", [xp.exp, xp.sigmoid, xp.softplus, xp.log1p, xp.isnan])
def test_functions_of_one_array(word, shared):
    x = np.abs(X) if word is xp.log1p else X
    rows = np.stack([word(row) for row in x])
    whole = word(x)
    if whole.dtype == bool:
        np.testing.assert_array_equal(whole, rows)
    else:  # large arrays may be computed in C++
        np.testing.assert_array_max_ulp(whole, rows, 6)
    assert whole.dtype == rows.dtype and len(shared) == 1


def test_functions_of_two_arrays(shared):
    x = np.tile(X, (3, 1))
    np.testing.assert_array_equal(xp.add(x, x), x + x)
    np.testing.assert_array_equal(xp.multiply(x, np.array(2.0, np.float32)), x * 2)
    assert len(shared) == 2


def test_what_cannot_be_shared_is_computed_whole(shared):
    x = np.tile(X, (3, 1))
    np.testing.assert_array_equal(xp.add(x, x[0]), x + x[0])
    np.testing.assert_array_equal(xp.exp(X.T), np.exp(X.T))
    assert not shared


def test_threads_are_as_quiet_as_the_caller(shared):
    got = tf.math.log(tf.constant(-np.abs(X)))
    assert shared and np.isnan(got.numpy()).all()


def test_a_failure_in_a_thread_is_raised(shared):
    def work(part):
        if part.start:
            raise ValueError(f"rows from {part.start}")

    with pytest.raises(ValueError, match="rows from 25"):
        threads.share(work, 100)


def test_log1p_is_exact_to_the_last_places():
    x = np.concatenate([
        [0.0, -0.0, 1e-30, -1.0, np.inf, np.nan, -2.0, 3e38], np.geomspace(1e-12, 1e30, 500),
        -np.geomspace(1e-12, 0.999, 500),
    ])
    x = x.astype(np.float32)
    with np.errstate(all="ignore"):
        got, expected = xp.log1p(x), np.log1p(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_array_max_ulp(got[~np.isnan(got)], expected[~np.isnan(got)], 3)
