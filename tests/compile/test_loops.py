"""Loops in programs: what is carried, what stays outside, and which loops the host runs."""

import jax
import numpy as np
import pytest

import reflow as tf
from reflow.compile.lowering import Lowering
from reflow.compile.runner import plan_of
from reflow.ops.xp.xla.base import wide_types
from tests.compile.plans import graph_of, only_region, raw, same_as_interpreted, steps_of


def primitives(graph, *arguments) -> list[str]:
    plan_of(graph)  # the rules are there
    with wide_types():
        jaxpr = jax.make_jaxpr(lambda *values: Lowering({}).run_graph(graph, list(values)))(*arguments)
    return [equation.primitive.name for equation in jaxpr.eqns]


def doubling(x, limit):
    return tf.while_loop(lambda y: y < limit, lambda y: [y * 2.0], [x])[0]


def test_a_loop_is_a_while_of_the_program():
    graph = same_as_interpreted(doubling, tf.constant(1.0), tf.constant(100.0))
    assert [kind for kind, _ in steps_of(graph)] == ["program"]
    assert "while" in primitives(graph, np.float32(1.0), np.float32(100.0))


def test_a_loop_that_does_not_run():
    assert float(same_as_interpreted(doubling, tf.constant(9.0), tf.constant(1.0)).run(
        [np.float32(9.0), np.float32(1.0)])[0]) == 9.0  # fmt: skip


def test_what_the_body_does_not_change_stays_outside():
    """So its size is known inside: `tf.shape(w)` is no part of the loop."""

    def f(x, w):
        def body(i, y, w):
            return i + 1, tf.reshape(y, tf.shape(w)) + w, w

        return tf.while_loop(lambda i, *_: i < 3, body, (0, x, w))[1]

    graph = same_as_interpreted(f, tf.ones([2, 3]), tf.ones([2, 3]))
    assert plan_of(graph).reasons == {}


def test_variables_written_inside_are_carried():
    v = tf.Variable(1.0)

    def f(n):
        def body(i):
            v.assign(v * 2.0)
            return [i + 1]

        tf.while_loop(lambda i: i < n, body, [0])
        return v.read_value()

    function = tf.function(f, autograph=False)
    assert [float(function(tf.constant(n))) for n in (2, 0, 1, 3)] == [4.0, 4.0, 8.0, 64.0]
    assert only_region(function.get_concrete_function(tf.constant(2)).graph).writes


def test_a_loop_with_a_print_runs_on_the_host(tmp_path):
    log = f"file://{tmp_path}/log"

    def f(n):
        def body(i):
            tf.print(i, output_stream=log)
            return [i + 1]

        return tf.while_loop(lambda i: i < n, body, [0])

    graph = graph_of(f, tf.constant(2))
    assert ("host", ["While"]) in steps_of(graph)
    graph.run(raw(graph, tf.constant(2)))
    assert (tmp_path / "log").read_text() == "0\n1\n"


def test_shapes_that_change_make_it_a_host_loop():
    def f(x):
        return tf.while_loop(
            lambda y: tf.size(y) < 7, lambda y: [tf.concat([y, y], 0)], [x], shape_invariants=[tf.TensorShape([None])]
        )[0]

    graph = same_as_interpreted(f, tf.constant([1.0, 2.0]))
    (reason,) = plan_of(graph).reasons.values()
    assert "loop" in reason


def test_a_check_inside_stops_nothing_but_is_told():
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + tf.gather(x, i)), (0, 0.0))[1]

    graph = graph_of(f, tf.TensorSpec([3]), tf.TensorSpec([], tf.int32))
    for _ in range(3):
        assert float(graph.run(raw(graph, tf.ones([3]), tf.constant(3)))[0]) == 3.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="3 is not in"):
            graph.run(raw(graph, tf.ones([3]), tf.constant(5)))


def test_loops_in_loops():
    def f(n):
        def outer(i, total):
            inner = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), (0, total))
            return i + 1, inner[1]

        return tf.while_loop(lambda i, _: i < n, outer, (0, 0))[1]

    same_as_interpreted(f, tf.constant(6))
