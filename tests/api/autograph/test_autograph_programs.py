"""AutoGraph: programs against Python, and what it says when a program cannot be a graph."""

import numpy as np
import pytest

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs
from tests.api.autograph.autograph_programs import PROGRAMS

CASES = [pytest.param(f, list(a), id=f"{f.__name__}-{i}") for f, lists in PROGRAMS for i, a in enumerate(lists)]


def tensors(arguments):
    """Numbers and arrays as tensors; Python flags stay."""
    return [a if isinstance(a, (bool, list)) else tf.constant(a) for a in arguments]


def as_numbers(structure):
    return [np.asarray(x) for x in tf.nest.flatten(structure)]


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 100


@pytest.mark.parametrize("program, arguments", CASES)
def test_equals_python(program, arguments):
    expected = as_numbers(program(*arguments))
    for got in (tf.function(program)(*tensors(arguments)), tf.autograph.to_graph(program)(*tensors(arguments))):
        for a, b in zip(expected, as_numbers(got), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize(
    "name", ["collatz", "find_by_return", "sum_rows", "nested_for", "while_break", "method_and_call"]
)
def test_unknown_shapes(name):
    program, lists = next((f, a) for f, a in PROGRAMS if f.__name__ == name)
    for arguments in lists:
        signature = [tf.TensorSpec([None] * np.ndim(a), tf.int32) for a in arguments]
        got = tf.function(program, input_signature=signature)(*tensors(arguments))
        assert int(got) == int(program(*arguments))
