"""No result contains memory that nobody wrote.

`np.empty` stands only where a comment says why every element is written. The ops of the table give the same results
when what it returns is filled with NaN, or with bytes 0xCD, first.
"""

import contextlib
import re
from pathlib import Path

import numpy as np
import pytest

import reflow as tf
from tests.ops import numeric
from tests.ops.table import TABLE

PACKAGE = Path(tf.__file__).parent
PROOF = "every element"
UNWRITTEN = re.compile(r"np\.(empty|empty_like)\(|np\.ndarray\(|numpy\.empty")


def test_every_use_of_memory_without_values_says_why_all_of_it_is_written():
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            if UNWRITTEN.search(line.split("#")[0]) and PROOF not in line + lines[max(number - 1, 0)]:
                found.append(f"{file.relative_to(PACKAGE)}:{number + 1}: {line.strip()}")
    assert not found, f"say in a comment why {PROOF} is written, or use np.zeros:\n" + "\n".join(found)


def poison(array: np.ndarray) -> np.ndarray:
    """Fill with what no kernel would compute."""
    if array.dtype == object:
        array.fill(poison)
    elif array.dtype.kind in "fcV":
        array.fill(np.nan)
    elif array.dtype.kind == "b":
        array.fill(True)
    else:
        array.fill(np.frombuffer(b"\xcd" * array.dtype.itemsize, array.dtype)[0])
    return array


@contextlib.contextmanager
def poisoned():
    """What `np.empty` gives in here is filled with NaN or 0xCD.
    Yields a list, which gets the size of each such array."""
    sizes: list = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("empty", "empty_like"):

            def poisoned_array(*args, make=getattr(np, name), **options):  # noqa: B008 - the name changes
                array = poison(make(*args, **options))
                sizes.append(array.size)
                return array

            patch.setattr(np, name, poisoned_array)
        yield sizes


def results(case) -> list:
    """Outputs and gradients, as arrays."""
    tf.random.set_seed(0)
    inputs = numeric.tensors(tf, case)
    out = numeric.outputs(tf, case, inputs)
    if case.grad:
        out = [*out, *[numeric.dense(tf, g) for g in numeric.gradients(tf, case, inputs) if g is not None]]
    return [np.asarray(t.numpy()) for t in out if hasattr(t, "numpy")]


def same(a, b) -> bool:
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fcV")


def test_the_op_table_with_poisoned_memory():
    wrong, used = [], 0
    for case in TABLE.values():
        if "eager" not in case.modes:
            continue
        expected = results(case)
        with poisoned() as sizes:
            got = results(case)
        used += bool(sizes)
        if len(got) != len(expected) or not all(map(same, got, expected)):
            wrong.append(case.id)
    assert not wrong
    assert used > 100  # cases that `np.empty` is a part of


def test_the_poison_is_seen():
    with poisoned():
        assert np.isnan(np.empty(3)).all() and np.isnan(np.empty_like(np.ones((2, 2), np.complex64))).all()
        assert (np.empty(3, np.int32).view(np.uint8) == 0xCD).all()


MISMATCHED = {
    "searchsorted": lambda: tf.searchsorted(tf.ones([1, 4]), tf.ones([3, 4])),
    "searchsorted, vector": lambda: tf.searchsorted(tf.ones([4]), tf.ones([3, 4])),
    "searchsorted, fewer": lambda: tf.searchsorted(tf.ones([3, 4]), tf.ones([1, 4])),
    "LowerBound": lambda: tf.raw_ops.LowerBound(sorted_inputs=tf.ones([1, 4]), values=tf.ones([3, 4])),
    "UpperBound": lambda: tf.raw_ops.UpperBound(sorted_inputs=tf.ones([1, 4]), values=tf.ones([3, 4])),
}


@pytest.mark.parametrize("name", MISMATCHED)
def test_rows_that_do_not_match(name):
    function = tf.function(MISMATCHED[name])
    for call in (MISMATCHED[name], function, function, tf.function(MISMATCHED[name], jit_compile=True)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Leading dim_size of both tensors must match"):
            call()


def nothing(*dims, dtype=tf.complex64):
    return tf.zeros(dims, dtype)


#: transforms of nothing, or to nothing, and the shape of the result: zeros
TRANSFORMS = {
    "IRFFT2D": (lambda: tf.raw_ops.IRFFT2D(input=nothing(4, 0), fft_length=[4, 4]), (4, 4)),
    "irfft": (lambda: tf.signal.irfft(nothing(4, 0), [4]), (4, 4)),
    "irfft to nothing": (lambda: tf.signal.irfft(nothing(4, 0)), (4, 0)),
    "irfft2d": (lambda: tf.signal.irfft2d(nothing(0, 3), [4, 4]), (4, 4)),
    "irfft3d": (lambda: tf.signal.irfft3d(nothing(2, 4, 0), [2, 4, 4]), (2, 4, 4)),
    "rfft": (lambda: tf.signal.rfft(nothing(4, 0, dtype=tf.float32), [4]), (4, 3)),
    "rfft to nothing": (lambda: tf.signal.rfft(nothing(4, 0, dtype=tf.float32)), (4, 0)),
    "rfft2d": (lambda: tf.signal.rfft2d(nothing(0, 4, dtype=tf.float32), [4, 4]), (4, 3)),
    "fft2d": (lambda: tf.signal.fft2d(nothing(4, 0)), (4, 0)),
    "no batch": (lambda: tf.signal.irfft2d(nothing(0, 4, 3)), (0, 4, 4)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_fourier_transforms_of_nothing(name):
    call, shape = TRANSFORMS[name]
    function = tf.function(call)
    kept = [np.full(shape, 7.0, np.complex64) for _ in range(8)]  # memory that is free again is not zero
    del kept
    for run in (call, function, function, tf.function(call, jit_compile=True)):
        result = run().numpy()
        assert result.shape == shape and not result.any()
