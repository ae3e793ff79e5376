"""`tf.__internal__.test.combinations`: a test for each combination of parameters, with TensorFlow's names."""

import unittest

import pytest
from absl.testing import parameterized

import reflow as tf

combinations = tf.__internal__.test.combinations


def results(cls):
    """{test: "" or why it was skipped or failed}."""
    found = unittest.TestResult()
    tests = list(unittest.defaultTestLoader.loadTestsFromTestCase(cls))
    for test in tests:
        test.run(found)
    wrong = dict(found.skipped + found.errors + found.failures)
    return {test._testMethodName: wrong.get(test, "") for test in tests if test._testMethodName != "test_session"}


def test_methods_run_in_their_modes():
    seen = []

    class Test(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(combinations.combine(mode=["graph", "eager"], units=[1, 2]))
        def testModes(self, units):
            seen.append((units, tf.executing_eagerly()))

        @combinations.generate(combinations.combine(tf_api_version=[1, 2]))
        def testVersion(self):
            seen.append("version")

        @combinations.generate(combinations.combine(kind=combinations.NamedObject("a-kind", tf.float32), of=[tf.int32]))
        def testNames(self, kind, of):
            self.assertEqual(kind.size, 4)

    found = results(Test)
    assert sorted(seen, key=str) == sorted([(1, False), (2, False), (1, True), (2, True), "version"], key=str)
    assert found.pop("testVersion_test_tfapiversion_1") == " - Skipping a TF1.x test when TF2 is enabled."
    assert (
        set(found.values()) == {""}
        and {"testModes_test_mode_graph_units_2", "testNames_test_kind_akind_of_dtypeint32"} <= set(found)
    )


def test_a_class_and_meanings_of_a_library():
    class Doubled(combinations.ParameterModifier):
        def modified_arguments(self, kwargs, requested_parameters):
            return {"x": 2 * kwargs["x"]}

    class Meaning(combinations.TestCombination):
        def should_execute_combination(self, kwargs):
            return (False, "no odd numbers") if kwargs["x"] % 2 else (True, None)

        def parameter_modifiers(self):
            return [Doubled(), combinations.OptionalParameter("unused")]

    meanings = combinations.generate.keywords["test_combinations"] + (Meaning(),)

    @combinations.generate(combinations.combine(x=[1, 2], unused=[0], mode="graph"), test_combinations=meanings)
    class Test(tf.test.TestCase):
        def testDoubled(self, x):
            self.assertEqual((x, tf.executing_eagerly()), (4, False))

    assert results(Test) == {
        "testDoubled_test_mode_graph_unused_0_x_1": " - no odd numbers", "testDoubled_test_mode_graph_unused_0_x_2": ""
    }


def test_what_does_not_fit():
    class Test(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(combinations.combine(y=[1]))
        def testUnknown(self):
            pass

        @combinations.generate(combinations.combine(mode=["eager"]))
        def testMissing(self, k):
            pass

        @combinations.generate(combinations.combine(mode=["nowhere"]))
        def testMode(self):
            pass

    found = results(Test)
    assert "The test does not take parameters that were passed : {'y'}" in found["testUnknown_test_y_1"]
    assert "The test requires parameters whose arguments were not passed: {'k'}" in found["testMissing_test_mode_eager"]
    assert "must be either 'eager' or 'graph'" in found["testMode_test_mode_nowhere"]
    with pytest.raises(ValueError, match="Keys need to not overlap"):
        combinations.times(combinations.combine(a=[1]), combinations.combine(a=[2]))
    with pytest.raises(AssertionError):
        combinations.times()


def test_products():
    assert combinations.times(combinations.combine(b=[1, 2]), combinations.combine(a=3)) == [
        {"b": 1, "a": 3}, {"b": 2, "a": 3}
    ]
    assert combinations.combine() == [{}] and combinations.combine(a=[]) == []
    assert (
        combinations.OptionalParameter("a") == combinations.OptionalParameter("a")
        != combinations.OptionalParameter("b")
    )
