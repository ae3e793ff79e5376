"""Branches in programs: `lax.switch`, or only the branch that is taken if that is known."""

import numpy as np
import pytest

import reflow as tf
from reflow.compile.runner import plan_of
from tests.compile.plans import graph_of, only_region, raw, same_as_interpreted, steps_of


@pytest.mark.parametrize("p", [True, False])
def test_both_branches_are_in_the_program(p):
    graph = same_as_interpreted(
        lambda p, x: tf.cond(p, lambda: x * 2.0, lambda: x - 1.0), tf.constant(p), tf.constant([1.0, 2.0])
    )
    assert [kind for kind, _ in steps_of(graph)] == ["program"]


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 7])
def test_a_case_out_of_range_takes_the_last(index):
    def f(i, x):
        return tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: x * 3.0])

    same_as_interpreted(f, tf.constant(index), tf.constant(1.0))


def test_a_number_is_true_if_it_is_not_zero():
    for p in (0.0, 0.5):
        same_as_interpreted(
            lambda p, x: tf.cond(tf.cast(p, tf.bool), lambda: x, lambda: -x), tf.constant(p), tf.constant(1.0)
        )


def test_a_known_predicate_lowers_one_branch():
    """The other may hold what no program can."""

    def f(x):
        return tf.cond(tf.rank(x) > 3, lambda: tf.strings.to_number("1"), lambda: x[0] * 2.0)

    graph = same_as_interpreted(f, tf.constant([1.0, 2.0]))
    assert plan_of(graph).reasons == {}


def test_writes_of_one_branch_leave_the_variable_alone_in_the_other():
    v = tf.Variable(1.0)
    f = tf.function(lambda p: tf.cond(p, lambda: v.assign_add(10.0), lambda: v.read_value()))
    assert [float(f(tf.constant(p))) for p in (True, False, True, False, True)] == [11.0, 11.0, 21.0, 21.0, 31.0]
    assert only_region(f.get_concrete_function(tf.constant(True)).graph).writes


def test_branches_of_different_shape_run_on_the_host():
    def f(p, x):
        return tf.cond(p, lambda: x, lambda: tf.concat([x, x], 0))

    graph = graph_of(f, tf.TensorSpec([], tf.bool), tf.TensorSpec([None]))
    for p in (True, False, True, False):
        assert np.asarray(graph.run(raw(graph, tf.constant(p), tf.ones([2])))[0]).shape == ((2,) if p else (4,))
    (reason,) = plan_of(graph).reasons.values()
    assert "branches differ" in reason


def test_a_check_in_a_branch_fires_only_if_it_is_taken():
    def f(p, x, i):
        return tf.cond(p, lambda: tf.gather(x, i), lambda: x[0])

    graph = graph_of(f, tf.TensorSpec([], tf.bool), tf.TensorSpec([3]), tf.TensorSpec([], tf.int32))
    x, bad = tf.ones([3]), tf.constant(9)
    for _ in range(3):
        assert float(graph.run(raw(graph, tf.constant(False), x, bad))[0]) == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="9 is not in"):
            graph.run(raw(graph, tf.constant(True), x, bad))


def test_gradients_choose_the_branch_that_was_taken():
    def f(p, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(p, lambda: x * x, lambda: 3.0 * x)
        return tape.gradient(y, x)

    for p in (True, False):
        same_as_interpreted(f, tf.constant(p), tf.constant(5.0))
