"""Parameterized tests: `tf.__internal__.test.combinations`, used by the tests of Keras 2 and other libraries.

A *combination* is a dictionary from parameter names to values. A `TestCombination` interprets some parameters: in the
mode "graph" a test runs inside a graph. `generate` creates a test for each combination.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import re
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from absl.testing import parameterized

from reflow.api.export import export, export_value
from reflow.api.framework.decorators import getfullargspec
from reflow.api.framework.internal import eager_mode, tf2_enabled
from reflow.graph.graph import Graph

_NAMES = "__internal__.test.combinations"


@export(f"{_NAMES}.ParameterModifier")
class ParameterModifier:
    """Changes the arguments of a test, or keeps one from it."""

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name=None):
        self._parameter_name = parameter_name

    def modified_arguments(self, kwargs, requested_parameters) -> dict:
        """Arguments by name; the value `DO_NOT_PASS_TO_THE_TEST` takes one away.

        Args:
          kwargs: the arguments of the combination.
          requested_parameters: the names that the test has.
        """
        return {}

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self._parameter_name))


@export(f"{_NAMES}.OptionalParameter")
class OptionalParameter(ParameterModifier):
    """A parameter that a test need not have."""

    def modified_arguments(self, kwargs, requested_parameters) -> dict:
        name = self._parameter_name
        return {} if name in requested_parameters else {name: ParameterModifier.DO_NOT_PASS_TO_THE_TEST}


@export(f"{_NAMES}.TestCombination")
class TestCombination:
    """What some parameters mean for the run of a test."""

    __test__ = False  # no test itself

    def should_execute_combination(self, kwargs) -> tuple[bool, str | None]:
        """Whether a combination is run, and if not, why."""
        return True, None

    def parameter_modifiers(self) -> list:
        """The modifiers of a test's arguments."""
        return []

    def context_managers(self, kwargs) -> list:
        """In which contexts a combination is run."""
        return []


class EagerGraphCombination(TestCombination):
    """`mode`: "eager" or "graph"."""

    def context_managers(self, kwargs) -> list:
        mode = kwargs.pop("mode", "")
        if mode not in ("eager", "graph", ""):
            raise ValueError(f"Argument 'mode' must be either 'eager' or 'graph'. Received: {mode}.")
        return [eager_mode()] if mode == "eager" else [Graph().as_default()] if mode == "graph" else []

    def parameter_modifiers(self) -> list:
        return [OptionalParameter("mode")]


class TFVersionCombination(TestCombination):
    """`tf_api_version`: the version of TensorFlow, 1 or 2, in whose behaviour the test is run."""

    def should_execute_combination(self, kwargs) -> tuple[bool, str | None]:
        version = kwargs.pop("tf_api_version", None)
        if version == 1 and tf2_enabled():
            return False, "Skipping a TF1.x test when TF2 is enabled."
        if version == 2 and not tf2_enabled():
            return False, "Skipping a TF2 test when TF2 is not enabled."
        return True, None

    def parameter_modifiers(self) -> list:
        return [OptionalParameter("tf_api_version")]


@export(f"{_NAMES}.NamedObject")
class NamedObject:
    """An object with a name, which becomes part of test names.

    >>> double = tf.__internal__.test.combinations.NamedObject("double", lambda x: 2 * x)
    >>> double, double(3)
    (double, 6)
    """

    def __init__(self, name, obj):
        self._name, self._obj = name, obj

    def __getattr__(self, name):
        return getattr(self._obj, name)

    def __call__(self, *args, **kwargs):
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Iterator:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


@export(f"{_NAMES}.combine")
def combine(**kwargs) -> list[OrderedDict]:
    """All combinations of values: each argument is a list of them, or a single one.

    >>> [dict(c) for c in tf.__internal__.test.combinations.combine(b=[1, 2], a=True)]
    [{'a': True, 'b': 1}, {'a': True, 'b': 2}]
    """
    lists = [
        [(name, v) for v in (value if isinstance(value, list) else [value])] for name, value in sorted(kwargs.items())
    ]
    return [OrderedDict(pairs) for pairs in itertools.product(*lists)]


@export(f"{_NAMES}.times")
def times(*combined) -> list[OrderedDict]:
    """Each combination of one list with each of the others.

    Raises:
      ValueError: two lists have a parameter in common.

    >>> combinations = tf.__internal__.test.combinations
    >>> [dict(c) for c in combinations.times(combinations.combine(a=[1, 2]), combinations.combine(b=3))]
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    assert combined
    for one, other in itertools.combinations(combined, 2):
        if one and other and set(one[0]) & set(other[0]):
            raise ValueError(f"Keys need to not overlap: {one[0].keys()} vs {other[0].keys()}")
    return [
        OrderedDict(itertools.chain.from_iterable(c.items() for c in chosen)) for chosen in itertools.product(*combined)
    ]


def _case_name(combination: OrderedDict) -> str:
    """`_test_mode_graph_units_3`: what a test's name ends with."""
    words = [(name, re.sub("0x[0-9a-f]+", "0", str(value))) for name, value in combination.items()]  # without addresses
    return "_test" + "".join(
        f"_{part}" for pair in words for part in ("".join(filter(str.isalnum, word)) for word in pair)
    )


def _arguments(test: Callable[..., Any], given: dict, meanings: Iterable[TestCombination]) -> dict:
    """The arguments of a test in a combination."""
    wanted = getfullargspec(test).args
    passed = dict(given)
    for modifier in itertools.chain.from_iterable(meaning.parameter_modifiers() for meaning in meanings):
        passed |= modifier.modified_arguments(dict(given), wanted)
    passed = {name: value for name, value in passed.items() if value is not ParameterModifier.DO_NOT_PASS_TO_THE_TEST}
    missing, unknown = set(wanted) - set(passed) - {"self"}, set(passed) - set(wanted)
    if missing:
        raise ValueError(f"The test requires parameters whose arguments were not passed: {missing} .")
    if unknown:
        raise ValueError(f"The test does not take parameters that were passed : {unknown} .")
    return passed


def _in_contexts(test: Callable[..., Any], meanings: tuple[TestCombination, ...]) -> Callable[..., Any]:
    """A test that takes the arguments of a combination, and runs in the contexts that they mean."""

    def run(self, **given):
        reasons = [
            f" - {reason}" for run, reason in (m.should_execute_combination(dict(given)) for m in meanings) if not run
        ]
        if reasons:
            self.skipTest("\n".join(reasons))
        with contextlib.ExitStack() as stack:
            for manager in itertools.chain.from_iterable(m.context_managers(dict(given)) for m in meanings):
                stack.enter_context(manager)
            test(self, **_arguments(test, given, meanings))

    run.__name__, run.__qualname__, run.__doc__ = test.__name__, test.__qualname__, test.__doc__
    return run


def _generate(combinations, test_combinations=()):
    """A decorator that makes a test of each combination, of a method or of all methods of a class.

    Args:
      combinations: a list of them, from `combine` or `times`.
      test_combinations: what parameters mean; by default `mode` ("graph" or "eager") and `tf_api_version` have a
        meaning.

    >>> combinations = tf.__internal__.test.combinations
    >>> class Test(tf.test.TestCase, parameterized.TestCase):
    ...     @combinations.generate(combinations.combine(mode=["graph", "eager"]))
    ...     def testModes(self):
    ...         self.assertIn(tf.executing_eagerly(), [True, False])
    >>> [name for name in dir(Test) if name.startswith("testModes")]
    ['testModes_test_mode_eager', 'testModes_test_mode_graph']
    """
    assert all(isinstance(combination, OrderedDict) for combination in combinations)
    named = [OrderedDict(c, testcase_name=_case_name(c)) for c in combinations]
    meanings = tuple(test_combinations)

    def decorate(test_or_class):
        if not inspect.isclass(test_or_class):
            return parameterized.named_parameters(*named)(_in_contexts(test_or_class, meanings))
        methods = {
            name: m for name, m in vars(test_or_class).items()
            if name.startswith("test") and isinstance(m, types.FunctionType)
        }
        for name, method in methods.items():
            delattr(test_or_class, name)
            for combination in combinations:
                _add(test_or_class, name + _case_name(combination), _in_contexts(method, meanings), dict(combination))
        return test_or_class

    return decorate


def _add(cls: type, name: str, method: Callable[..., Any], arguments: dict) -> None:
    """Give a class a test that calls another with some arguments."""

    def test(self):
        return method(self, **arguments)

    test.__name__, test.__qualname__, test.__doc__ = name, f"{cls.__qualname__}.{name}", method.__doc__
    setattr(cls, name, test)


#: Its `keywords` are read: a library adds its own meanings to the usual ones.
generate = functools.partial(_generate, test_combinations=(EagerGraphCombination(), TFVersionCombination()))
export_value(generate, f"{_NAMES}.generate", "__internal__.distribute.combinations.generate")
