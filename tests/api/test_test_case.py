"""`tf.test.TestCase`: assertions that hold and assertions that fire."""

import random
import unittest
import warnings

import numpy as np
import pytest

import reflow as tf

case = tf.test.TestCase()


def test_what_holds_is_silent():
    case.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0 + 1e-8])
    case.assertAllEqual(tf.constant([[1, 2]]), np.array([[1, 2]]))
    case.assertAllClose({"a": tf.constant(1.0), "b": [2.0]}, {"a": 1.0, "b": [2.0]})
    case.assertAllClose((tf.constant(5.0), tf.zeros([2])), (5.0, np.zeros([2])))
    case.assertShapeEqual(np.zeros([2, 3]), tf.zeros([2, 3]))
    case.assertAllInRange(tf.constant([0.1, 0.9]), 0.0, 1.0)
    case.assertNotAllClose([1.0], [2.0])
    case.assertAllGreater([2.0], 1.0)


@pytest.mark.parametrize(
    "check",
    [
        lambda: case.assertAllClose([1.0], [1.1]),
        lambda: case.assertAllClose([1.0], [1.0, 1.0]),
        lambda: case.assertAllClose((5.0, np.zeros([2])), (5.0, np.ones([2]))),
        lambda: case.assertAllEqual([1, 2], [1, 3]),
        lambda: case.assertShapeEqual(np.zeros([2]), tf.zeros([3])),
        lambda: case.assertAllInRange([2.0], 0.0, 1.0),
        lambda: case.assertNotAllClose([1.0], [1.0]),
        lambda: case.assertAllClose({"a": 1.0}, {"b": 1.0}),
    ],
)
def test_what_does_not_hold_fails(check):
    with pytest.raises(AssertionError):
        check()


def test_tensors_as_arrays_and_a_folder():
    assert case.evaluate({"x": tf.constant([1, 2])})["x"].tolist() == [1, 2]
    folder = case.get_temp_dir()
    assert case.get_temp_dir() == folder
    with case.session() as session:
        assert not hasattr(session, "run")


def test_errors_of_ops():
    with case.assertRaisesOpError("not in"):
        tf.gather([1], 3)


def test_rows_of_several_lengths():
    rows = tf.ragged.constant([[1, 2], [3]])
    for same in (rows, [[1, 2], [3]], tf.compat.v1.ragged.constant_value([[1, 2], [3]])):
        case.assertAllEqual(rows, same)
        case.assertAllEqual(same, rows)
    case.assertAllEqual([[1, 2], [3]], [[1, 2], [3]])
    case.assertAllClose(tf.cast(rows, tf.float32), [[1.0, 2.0 + 1e-9], [3.0]])
    for other in ([[1, 2], [4]], [[1, 2]], [[1.5, 2], [3]], np.array([[1, 2], [3, 4]])):
        with pytest.raises(AssertionError):
            case.assertAllEqual(rows, other)
        with pytest.raises(AssertionError):
            case.assertAllClose(rows, other)
    with pytest.raises(AssertionError, match="1 != 0"):  # of another ragged rank
        case.assertAllEqual(tf.ragged.constant([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))


def test_what_tensors_evaluate_to():
    assert case.evaluate(tf.ragged.constant([[1], [2, 3]])).to_list() == [[1], [2, 3]]
    sparse = case.evaluate(tf.sparse.from_dense([[1, 0]]))
    assert isinstance(sparse, tf.compat.v1.SparseTensorValue) and sparse.values.tolist() == [1]
    slices = case.evaluate(tf.IndexedSlices(tf.ones([1]), tf.constant([0])))
    assert (slices.values.tolist(), slices.indices.tolist(), slices.dense_shape) == ([1.0], [0], None)
    assert case._GetNdArray([tf.constant(1), 2]).tolist() == [1, 2] and case._GetNdArray(5).shape == ()


def test_errors_by_their_text():
    class Own(tf.test.TestCase):
        def assertRaises(self, spec, text):
            raise NotImplementedError

    for one in (case, Own()):
        with one.assertRaisesWithPredicateMatch(ValueError, "of (two|three)"):
            raise ValueError("one of two")
        with one.assertRaisesWithPredicateMatch((ValueError, TypeError), lambda error: error.args == (3,)):
            raise TypeError(3)
        with pytest.raises(AssertionError, match="KeyError"), one.assertRaisesWithPredicateMatch(ValueError, "x"):
            raise KeyError("x")
        with pytest.raises(AssertionError, match="one of two"), one.assertRaisesWithPredicateMatch(ValueError, "three"):
            raise ValueError("one of two")
        with (
            pytest.raises(AssertionError, match="ValueError not raised"),
            one.assertRaisesWithPredicateMatch(ValueError, ""),
        ):
            pass


def test_ragged_tensors_of_a_graph():
    class Test(tf.test.TestCase):
        def runTest(self):
            with tf.Graph().as_default(), self.session():
                self.assertAllEqual(tf.ragged.constant([[1, 2], [3]]) + 1, [[2, 3], [4]])

    Test().debug()


def test_tolerances_may_be_arrays():
    case = tf.test.TestCase()
    case.assertAllClose([1.0, 2.0], [1.1, 2.0], atol=np.array([0.2, 0.0]))
    with pytest.raises(AssertionError):
        case.assertAllClose([1.0, 2.1], [1.1, 2.0], atol=np.array([0.2, 0.0]))


def test_arrays_that_are_not_close_are_told_apart():
    """The first is the actual one, as TensorFlow says it; and the elements that differ are shown."""
    with pytest.raises(AssertionError) as failed:
        tf.test.TestCase().assertAllClose([1.0, 2.0], [1.0, 4.0])
    said = str(failed.value)
    for line in ("where = (array([1]),)", "lhs = [2.]", "rhs = [4.]", "dif = [2.]", "tol = [5.e-06]"):
        assert f"not close {line}" in said
    assert "ACTUAL: array([1., 2.])" in said and "DESIRED: array([1., 4.])" in said


def test_each_test_begins_anew(tmp_path):
    """The draws are those of real TensorFlow's TestCase."""
    seen = []

    class Test(tf.test.TestCase):
        def test_a(self):
            v1.add_to_collection("k", 1)
            tf.summary.create_file_writer(str(tmp_path)).set_as_default()
            seen.append(v1.get_collection("k"))

        def test_b(self):
            v1.add_to_collection("k", 2)
            seen.extend([v1.get_collection("k"), bool(tf.summary.write("a", 1, step=0))])
            seen.extend([np.random.rand(), random.random(), tf.random.uniform([]).numpy().item()])

    v1, suite, result = (
        tf.compat.v1, unittest.TestSuite(map(Test, ("test_a", "test_b", "test_session"))), unittest.TestResult()
    )
    suite.run(result)
    assert not result.errors and [why for _, why in result.skipped] == ["Not a test."]
    assert seen[:3] == [[1], [2], False]
    assert seen[3:] == pytest.approx([0.18463433217903202, 0.3499765785632496, 0.5836375])


def test_the_session_of_a_test_is_kept_under_its_old_name_too():
    kept = []

    class Test(tf.test.TestCase):
        def setUp(self):
            """Without the inherited one, which skips `test_session`: it passes then, as in TensorFlow."""

        def test(self):
            with tf.Graph().as_default():
                v = v1.get_variable("v", [], initializer=tf.zeros_initializer(), use_resource=True)
                with self.test_session() as session:
                    session.run(v.initializer)
                    session.run(v.assign_add(2.0))
                with self.test_session() as again:
                    kept.extend([again is session, again.run(v)])
                graph = tf.Graph()
                with self.test_session(graph) as own:
                    kept.append(own.graph is graph)
            with self.test_session() as none:
                kept.append(none)

    v1, result = tf.compat.v1, unittest.TestResult()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a test that returns something
        unittest.TestSuite(map(Test, ("test", "test_session"))).run(result)
    assert not result.errors and not result.failures and not result.skipped
    assert kept == [True, 2.0, True, None]


def test_in_eager_code_there_is_no_session():
    """But the cached one evaluates, for tests that feed nothing."""
    test = tf.test.TestCase()
    with test.cached_session() as session:
        assert session.run({"a": tf.constant(1), "b": [tf.constant([2])]})["b"][0].tolist() == [2]
        with pytest.raises(RuntimeError, match="feed_dict is not supported when eager"):
            session.run(tf.constant(1), feed_dict={"a": 1})
        with pytest.raises(RuntimeError, match="Optional args are not supported"):
            session.run(tf.constant(1), None, "options")
    with test.session(graph=tf.Graph()) as session, pytest.raises(AttributeError, match="while eager execution"):
        session.run(tf.constant(1))
