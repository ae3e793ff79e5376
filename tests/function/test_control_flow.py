"""Control flow: every program of the table, in every mode, against what TensorFlow 2.21 did
(`tools/golden/control_flow.py`)."""


import numpy as np
import pytest

import reflow as tf
from reflow.api.control import functional
from reflow.core.logging import logger
from tests import recorded
from tests.function.control_programs import PROGRAMS
from tests.function.control_table import CALLS, Bench, observe, plain, static_shapes
from tests.ops.numeric import TOLERANCE

GOLDEN = recorded("control_flow")
EAGER = [p for p in PROGRAMS.values() if p.eager]
DIFFERENTIABLE = [p for p in PROGRAMS.values() if p.grad]


def by_name(programs):
    return pytest.mark.parametrize("program", programs, ids=[p.name for p in programs])


def same_tensor(got, expected, where):
    """`[dtype, shape, values]` of two tensors, or None for none."""
    if got is None or expected is None:
        assert got is expected, f"{where}: {got}, expected {expected}"
        return
    assert got[:2] == expected[:2], f"{where}: {got}, expected {expected}"
    if got[0] not in TOLERANCE:
        assert got[2] == expected[2], where
        return
    relative, absolute = TOLERANCE[got[0]]
    np.testing.assert_allclose(np.array(got[2]), np.array(expected[2]), relative, absolute, err_msg=where)


def same_tensors(got, expected, where):
    assert len(got) == len(expected), f"{where}: {got}, expected {expected}"
    for i, (a, b) in enumerate(zip(got, expected)):
        same_tensor(a, b, f"{where}[{i}]")


def same(program, got, expected, where):
    """Two observations agree."""
    assert got.get("error") == expected.get("error"), f"{where}: {got}, expected {expected}"
    if program.text:
        assert got.get("text") == expected.get("text"), f"{where}: {got}, expected {expected}"
    assert got.get("printed") == expected.get("printed"), where
    same_tensors(got.get("values", []), expected.get("values", []), where)
    same_tensors(got.get("state", []), expected.get("state", []), f"{where}: variables")


def compare_calls(program, bench, run, mode):
    expected = GOLDEN[program.name]["eager" if program.like_eager else mode]
    for n in range(CALLS):
        got = observe(bench, run, *bench.tensors)
        if mode in (program.instead or {}):
            assert got.get("error") == program.instead[mode], got
        else:
            same(program, got, expected[min(n, len(expected) - 1)], f"call {n + 1}")


@by_name(EAGER)
def test_eager(program):
    bench = Bench(tf, program)
    compare_calls(program, bench, bench.call, "eager")


@by_name(list(PROGRAMS.values()))
def test_function(program):
    """Interpreted, compiled, and what was compiled again; and the static shapes of what it returns."""
    bench = Bench(tf, program)
    compare_calls(program, bench, bench.function(), "function")
    expected = GOLDEN[program.name]
    for key, known in (("shapes", True), ("open", False)):
        if expected.get(key) is not None and not program.instead and "values" in expected["function"][0]:
            got = static_shapes(bench, known)
            assert got is not None and all(map(at_least, got, expected[key])), f"{key}: {got}, expected {expected[key]}"


def at_least(got, expected) -> bool:
    """Whether a static shape knows all that TensorFlow's does; it may know more."""
    if expected is None:
        return True
    return got is not None and len(got) == len(expected) and all(b is None or a == b for a, b in zip(got, expected))


@by_name(DIFFERENTIABLE)
def test_gradient_outside(program):
    """The tape is outside the function: eager tapes around calls."""
    bench = Bench(tf, program)
    function = bench.function()
    for order in range(1, program.grad + 1):
        for n in range(CALLS - order + 1):
            same_gradients(program, order, bench.gradients(bench.tensors, order, function), f"call {n + 1}")


@by_name(DIFFERENTIABLE)
def test_gradient_inside(program):
    """The tapes are inside the function; and without a function at all."""
    bench = Bench(tf, program)
    inside, connected = gradient_function(bench, program.grad)
    for n in range(CALLS):
        values = iter(inside(*bench.tensors))
        for order, exist in enumerate(connected, 1):
            same_gradients(program, order, [next(values) if e else None for e in exist], f"call {n + 1}")
    if program.eager:
        for order, grads in enumerate(bench.all_gradients(bench.tensors, program.grad), 1):
            same_gradients(program, order, grads, "eager")


def gradient_function(bench, order):
    """A function that returns the gradients that exist, and a list that says which do, filled when it is traced."""
    connected: list = []

    def found(*tensors):
        grads = bench.all_gradients(tensors, order)
        connected[:] = [[g is not None for g in some] for some in grads]
        return [g for some in grads for g in some if g is not None]

    return bench.function(found), connected


def same_gradients(program, order, grads, where):
    """Gradients are TensorFlow's; a second derivative that is zero everywhere may be None,
    where TensorFlow has zeros."""
    got = [None if g is None else plain(g) for g in grads]
    expected = GOLDEN[program.name][f"grads{order}"]
    if order == 2:
        expected = [
            None if g is None and e is not None and not any(e[2]) else e for g, e in zip(got, expected, strict=True)
        ]
    same_tensors(got, expected, f"order {order}, {where}")


def test_map_says_once_that_eager_code_runs_one_by_one(monkeypatch, caplog):
    monkeypatch.setattr(functional, "_warned", [])
    monkeypatch.setattr(logger, "propagate", True)
    for _ in range(2):
        tf.map_fn(lambda x: x, tf.constant([1, 2]), parallel_iterations=4)
    assert [r.getMessage().split(".")[0] for r in caplog.records] == [
        "Setting parallel_iterations > 1 has no effect when executing eagerly"
    ]


def test_a_loop_may_not_change_the_dtype_of_an_eager_value():
    start = tf.constant(1)

    @tf.function
    def f():
        return tf.while_loop(lambda i: i < 3, lambda i: [tf.cast(i, tf.float32)], [start])

    with pytest.raises(TypeError, match="enters the loop with type <dtype: 'int32'> but has type <dtype: 'float32'>"):
        f()


@pytest.mark.parametrize("missing", [None, {}])
def test_a_loop_without_variables(missing):
    with pytest.raises(ValueError, match="'loop_vars' must be provided"):
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, missing)
