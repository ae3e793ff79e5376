"""`tf.test.TestCase`: unittest with assertions on arrays, and `tf.test.main`."""

from __future__ import annotations

import contextlib
import os
import random
import re
import sys
import tempfile

import numpy as np
from absl.testing import absltest

from reflow.api.benchmark import run_benchmarks
from reflow.api.export import export
from reflow.api.ragged.constants import RaggedTensorValue
from reflow.api.ragged.internal import is_ragged
from reflow.api.random import sampling
from reflow.api.test_assertions import Assertions
from reflow.core import dtypes, errors, nest
from reflow.core.indexed_slices import IndexedSlices, IndexedSlicesValue
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor, SparseTensorValue


def _apart(a, b, where, tolerance) -> str:
    """The message for two arrays that are not close: which elements, and how far apart they are."""
    lines = ["Mismatched value: a is different from b. "]
    tolerance = np.broadcast_to(tolerance, a.shape)
    if a.ndim:
        lines.append(f"not close where = {np.where(where)}")
        a_part, b_part, tolerance = a[where], b[where], tolerance[where]
    else:
        a_part, b_part = a, b
    lines += [f"not close lhs = {a_part}", f"not close rhs = {b_part}", f"not close dif = {np.abs(a_part - b_part)}"]
    return "\n".join([*lines, f"not close tol = {tolerance}", f"dtype = {a.dtype}, shape = {a.shape}"])


#: what the generators of Python, NumPy and TensorFlow start from in every test
SEED = 87654321


class TestCase(Assertions, absltest.TestCase):
    """The assertions of `tf.test.TestCase`, which are on tensors, arrays, and structures of them
    (`reflow/compat/sessions/testing.py`).

    >>> TestCase().assertAllClose([1.0, 2.0], [1.0, 2.0000001])
    """

    __test__ = False  # pytest takes subclasses only

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def __init__(self, methodName="runTest"):
        super().__init__(methodName)
        self._tempdir: str | None = None

    def setUp(self):
        super().setUp()
        random.seed(SEED)
        np.random.seed(SEED)
        sampling.set_seed(SEED)

    def get_temp_dir(self) -> str:
        """A folder of this test's own."""
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        return self._tempdir

    def evaluate(self, tensors):
        """Tensors, or a structure of them, as arrays: ragged and sparse ones as values of arrays."""
        return nest.map_structure(_evaluated, tensors)

    # --- assertions

    def _GetNdArray(self, a):  # TensorFlow's name: TensorFlow Probability extends it
        """An array of a value; a ragged one stays a `RaggedTensorValue`, uneven rows become an array of lists."""
        value = self.evaluate(a)
        if is_ragged(value):
            return value
        try:
            return np.asarray(value)
        except ValueError:  # rows of several lengths
            return np.asarray(value, object)

    def _same_shape(self, a, b, msg):
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")

    def _lists(self, value):
        """A ragged value, a tensor or an array as nested lists."""
        value = self.evaluate(value)
        return value.to_list() if is_ragged(value) else value.tolist() if isinstance(value, np.ndarray) else value

    def _same_ragged_rank(self, a, b, msg):
        if not isinstance(a, (list, tuple)) and not isinstance(b, (list, tuple)):
            self.assertEqual(*(value.ragged_rank if is_ragged(value) else 0 for value in (a, b)), msg)

    def assertAllEqual(self, a, b, msg=None):
        """Checks that all elements are equal; strings compare with bytes, except in ragged tensors."""
        if is_ragged(a) or is_ragged(b):
            self.assertEqual(self._lists(a), self._lists(b), msg)
            self._same_ragged_rank(a, b, msg)
            return
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        if a.dtype == object or b.dtype == object or a.dtype.kind in "US" or b.dtype.kind in "US":
            a, b = np.vectorize(_as_bytes, otypes=[object])(a), np.vectorize(_as_bytes, otypes=[object])(b)
        self._same_shape(a, b, msg)
        with np.errstate(invalid="ignore"):
            same = (a == b) | (_is_nan(a) & _is_nan(b))
        if not np.all(same):
            self.fail(f"{msg or ''} not equal where = {np.where(~np.asarray(same, bool))}\n lhs = {a}\n rhs = {b}")

    def assertNotAllEqual(self, a, b, msg=None):
        """Checks that some elements differ."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"The two values are equal at all elements. {msg or ''}")

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Checks that all elements of two equal structures are close."""
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertCountEqual(a, b, msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"[{key}] {msg or ''}")
            return
        if is_ragged(a) or is_ragged(b):
            self._assert_rows_close(self._lists(a), self._lists(b), rtol, atol, msg)
            self._same_ragged_rank(a, b, msg)
            return
        try:
            a, b = np.asarray(self.evaluate(a)), np.asarray(self.evaluate(b))
        except ValueError:  # sequences of arrays of several shapes
            self.assertEqual(len(a), len(b), msg)
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self.assertAllClose(x, y, rtol, atol, f"[{i}] {msg or ''}")
            return
        self._same_shape(a, b, msg)
        if dtypes.bfloat16.np_dtype in (a.dtype, b.dtype):
            a, b = a.astype(np.float32), b.astype(np.float32)
        with np.errstate(invalid="ignore"):
            close = np.isclose(a, b, rtol, atol, equal_nan=True)
        if not close.all():
            said = "\n".join([*([msg] if msg else []), _apart(a, b, ~close, atol + rtol * np.abs(b))])
            np.testing.assert_allclose(a, b, np.max(rtol), np.max(atol), err_msg=said, equal_nan=True)
            self.fail(said)  # tolerances may be arrays, of which the line above knows only the maximum

    def _assert_rows_close(self, a, b, rtol, atol, msg):
        self.assertEqual(type(a), type(b), msg)
        if not isinstance(a, list):
            self.assertAllClose(a, b, rtol, atol, msg)
            return
        self.assertLen(a, len(b), msg)
        for x, y in zip(a, b, strict=True):
            self._assert_rows_close(x, y, rtol, atol, msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Checks that some elements are not close."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(f"The two values are close at all elements. {msg or ''}")

    def assertAllCloseAccordingToType(
        self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3, half_atol=1e-3,
        bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None,
    ):
        """Checks that all elements are close, with a tolerance for the less precise of the two dtypes."""
        kinds = {self._GetNdArray(a).dtype, self._GetNdArray(b).dtype}
        tolerances = {
            np.dtype(np.float32): (float_rtol, float_atol),
            np.dtype(np.complex64): (float_rtol, float_atol),
            np.dtype(np.float16): (half_rtol, half_atol),
            dtypes.bfloat16.np_dtype: (bfloat16_rtol, bfloat16_atol),
        }
        for kind, (r, t) in tolerances.items():
            if kind in kinds:
                rtol, atol = max(rtol, r), max(atol, t)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNear(self, f1, f2, err, msg=None):
        """Checks that two numbers differ by at most `err`."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r} {msg or ''}")

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Checks that two arrays differ by at most `err` in the Euclidean norm."""
        self.assertLess(np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)), err, msg)

    def assertAllGreater(self, a, comparison_target):
        """Fails unless all elements are greater."""
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        """Fails unless all elements are greater or equal."""
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        """Fails unless all elements are less."""
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        """Fails unless all elements are less or equal."""
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        """Checks that every element is between the bounds."""
        (self.assertAllGreater if open_lower_bound else self.assertAllGreaterEqual)(target, lower_bound)
        (self.assertAllLess if open_upper_bound else self.assertAllLessEqual)(target, upper_bound)

    def assertAllInSet(self, target, expected_set):
        """Checks that every element is one of the given ones."""
        unknown = set(np.unique(self._GetNdArray(target)).tolist()) - set(expected_set)
        self.assertFalse(unknown, f"{unknown} are not in the set {expected_set}")

    def assertDTypeEqual(self, target, expected_dtype):
        """Checks that the dtype is the given one."""
        self.assertEqual(dtypes.as_dtype(self._GetNdArray(target).dtype), dtypes.as_dtype(expected_dtype))

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Checks that the operands have the same shape."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):  # type: ignore[override]
        """A `with` block that expects an error whose text fits a pattern, or that a function accepts."""
        wanted = expected_err_re_or_predicate
        try:  # not by `assertRaises`, which a subclass may have replaced
            yield
        except exception_type as error:
            fits = wanted(error) if callable(wanted) else re.search(wanted, str(error))
            self.assertTrue(fits, f"Exception of type {type(error)}: {error}")
        except Exception as error:
            raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        else:
            self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """A `with` block that expects an error of an op with such a text."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)


def _evaluated(tensor):
    """A tensor as an array, or as a value of arrays; anything else as it is."""
    if isinstance(tensor, RaggedTensor):
        return RaggedTensorValue(_evaluated(tensor.values), tensor.row_splits.numpy())
    if isinstance(tensor, SparseTensor):
        return SparseTensorValue(tensor.indices.numpy(), tensor.values.numpy(), tensor.dense_shape.numpy())
    if isinstance(tensor, IndexedSlices):
        return IndexedSlicesValue(
            *(None if part is None else part.numpy() for part in (tensor.values, tensor.indices, tensor.dense_shape))
        )
    return tensor.numpy() if hasattr(tensor, "numpy") else tensor


def _as_bytes(value):
    return value.encode() if isinstance(value, str) else value


def _is_nan(a):
    return np.isnan(a) if a.dtype.kind in "fc" else np.zeros(a.shape, bool)


@export("test.main")
def main(argv=None):
    """Run the tests of the main module, or with `--benchmarks=REGEX` its benchmarks, and exit.

    >>> tf.test.main()  # doctest: +SKIP
    """
    given = sys.argv if argv is None else argv
    chosen = [word.partition("=")[2] for word in given if word.startswith("--benchmarks=")]
    if chosen:
        run_benchmarks(chosen[0])
        raise SystemExit(0)
    absltest.main(argv=argv)


@export("compat.v1.test.get_temp_dir")
def get_temp_dir() -> str:
    """A folder for the files of this process' tests.

    >>> import os
    >>> os.path.isdir(tf.compat.v1.test.get_temp_dir())
    True
    """
    if not _folder:
        _folder.append(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
    return _folder[0]


_folder: list[str] = []
