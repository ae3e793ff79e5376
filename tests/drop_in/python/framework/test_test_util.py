"""Decorators of tests."""

import unittest

import pytest

import reflow as tf
from reflow.drop_in.python.framework import test_util


def test_without_autotuning_a_function_is_itself():
    assert test_util.disable_cudnn_autotune(len) is len


def outcome(cls) -> tuple[int, list[str]]:
    """How many tests ran without an error, and why some were skipped."""
    found = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(cls).run(found)
    return found.testsRun - len(found.errors) - len(found.skipped), [why for _, why in found.skipped]


def test_tests_of_one_version():
    class Test(unittest.TestCase):
        @test_util.run_v1_only("the old way")
        def test_old(self):
            raise ValueError

        @test_util.run_v2_only
        def test_new(self):
            pass

        @test_util.run_v2_only()
        def test_newer(self):
            pass

    @test_util.run_v1_only()
    class Old(unittest.TestCase):
        def test(self):
            raise ValueError

    assert outcome(Test) == (2, ["the old way"])
    assert outcome(Old) == (0, ["Test is only compatible with v1"])


def test_tests_of_both_modes():
    modes = []

    class Test(tf.test.TestCase):
        def setUp(self):
            super().setUp()
            modes.append("set up")

        @test_util.run_in_graph_and_eager_modes
        def test_value(self):
            modes.append(tf.executing_eagerly())
            self.assertEqual(self.evaluate(tf.constant(1) + 1), 2)

    @test_util.run_all_in_graph_and_eager_modes
    class All(tf.test.TestCase):
        def test_mode(self):
            modes.append(tf.executing_eagerly())

    assert outcome(Test) == (1, ["Not a test."]) and modes == ["set up", False, "set up", True]
    assert outcome(All) == (1, ["Not a test."]) and modes[4:] == [False, True]
    with pytest.raises(ValueError, match="only supports test methods"):
        test_util.run_in_graph_and_eager_modes(Test)
