"""Control flow: every program of the table, in every mode, against what TensorFlow 2.21 did (`tools/golden/control_flow.py`)."""

import json
import pathlib

import numpy as np
import pytest
from function.control_programs import PROGRAMS
from function.control_table import CALLS, Bench, observe, plain, static_shapes
from ops.numeric import TOLERANCE

import reflow as tf

GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "golden/control_flow.json").read_text())
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
    expected = GOLDEN[program.name][mode]
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
        if key in expected and not program.instead:
            got = static_shapes(bench, known)
            assert got == expected[key], f"{key}: {got}, expected {expected[key]}"


@by_name(DIFFERENTIABLE)
def test_gradient_outside(program):
    """The tape is outside the function: eager tapes around calls."""
    bench = Bench(tf, program)
    function = bench.function()
    for order in range(1, program.grad + 1):
        for n in range(CALLS - order + 1):
            got = [None if g is None else plain(g) for g in bench.gradients(bench.tensors, order, function)]
            same_tensors(got, GOLDEN[program.name][f"grads{order}"], f"order {order}, call {n + 1}")


@by_name(DIFFERENTIABLE)
def test_gradient_inside(program):
    """The tapes are inside the function; and without a function at all."""
    bench = Bench(tf, program)
    for order in range(1, program.grad + 1):
        expected = GOLDEN[program.name][f"grads{order}"]
        absent = [g is None for g in expected]

        def found(*tensors, order=order):
            grads = bench.gradients(tensors, order)
            assert [g is None for g in grads] == absent
            return [g for g in grads if g is not None]

        inside = bench.function(found)
        for n in range(CALLS):
            got = [plain(g) for g in inside(*bench.tensors)]
            same_tensors(got, [g for g in expected if g is not None], f"order {order}, call {n + 1}")
        if program.eager:
            got = [None if g is None else plain(g) for g in bench.gradients(bench.tensors, order)]
            same_tensors(got, expected, f"order {order}, eager")

