"""A few programs of `make fuzz-functions`: eager, interpreted and compiled, they mean the same.

And the tool sees it when they do not.
"""

import numpy as np
import pytest

import reflow as tf
from tools import fuzz_functions as fuzz


@pytest.fixture(autouse=True)
def as_loud_as_before():
    """The programs are quiet about retracing; other tests want to hear of it."""
    logger = tf.get_logger()
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.mark.parametrize("seed", range(6))
def test_modes_agree(seed):
    text = fuzz.make(seed, length=5)
    modes = ["eager", "interpreted", "unknown" if seed % 2 else "function"]
    assert fuzz.differences(fuzz.outcomes(text, "reflow", seed, modes)) == [], text


def test_a_seed_makes_one_program():
    assert fuzz.make(3, length=5) == fuzz.make(3, length=5) != fuzz.make(4, length=5)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("t = x + (0.0 if tf.executing_eagerly() else 1.0)", "result 0"),
        ("v0.assign_add(v0) if tf.executing_eagerly() else None", "variable 0"),
        ("tf.print(tf.executing_eagerly(), output_stream=LOG)", "printed"),
        ("t = tf.gather(x, 7 if tf.executing_eagerly() else 0)", "here none"),
        ("t = tf.gather(x, [0]) if tf.executing_eagerly() else x.nothing", "AttributeError"),
        ("t = x * tf.stop_gradient(x) if tf.executing_eagerly() else x * x", "call 5: result"),
    ],
)
def test_a_difference_is_found(line, words):
    text = f"def program(x, y, k, n):\n    t = x\n    {line}\n    return [t]\n"
    found = fuzz.outcomes(text, "reflow", 0, ["eager", "function"])
    if words == "here none":  # otherwise the graph is right: what nothing needs does not run
        found["interpreted"] = found["eager"]
    (said,) = fuzz.differences(found)
    assert words in said
    assert fuzz.kinds([said]) == fuzz.kinds([said.replace("0", "7")])


def test_a_program_is_made_shorter():
    lines = ["t1 = x + 1.0", "if n > -1:", "    y = y * 2.0", "t2 = y + (0.0 if tf.executing_eagerly() else 1.0)"]
    text = "def program(x, y, k, n):\n" + "".join(f"    {line}\n" for line in lines) + "    return [t1, t2]\n"
    modes = ["eager", "function"]
    wanted = fuzz.kinds(fuzz.differences(fuzz.outcomes(text, "reflow", 0, modes)))
    short = fuzz.shorter(text, 0, wanted, modes)
    assert short.splitlines()[1:] == [f"    {lines[-1]}", "    return [t2]"]


def test_close_knows_dtypes_and_nan():
    assert fuzz._close(np.float32([1, np.nan]), np.float32([1.00001, np.nan]))
    assert not fuzz._close(np.float32([1]), np.float64([1]))
    assert not fuzz._close(np.int32([1]), np.int32([2]))
