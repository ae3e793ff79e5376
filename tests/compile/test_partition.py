"""Partitioning: as few programs as possible, and every order that can be seen is kept."""

import numpy as np
import pytest

import reflow as tf
from reflow.compile import partition
from reflow.compile.runner import plan_of
from tests.compile.plans import graph_of, only_region, same_as_interpreted, steps_of

NOWHERE = "file:///dev/null"


def test_arithmetic_is_one_program():
    graph = graph_of(lambda x: tf.reduce_sum(tf.exp(x) * 2.0), tf.constant([1.0, 2.0]))
    ((kind, ops),) = steps_of(graph)
    assert kind == "program" and {"Exp", "Mul", "Sum"} <= set(ops)


def test_a_print_moves_behind_the_program():
    """It reads the program's results, so it runs after all of it, what comes later in the source included."""

    def f(x):
        y = x * 2.0
        tf.print(y, output_stream=NOWHERE)
        return y + 1.0

    kinds = [kind for kind, _ in steps_of(graph_of(f, tf.constant(1.0)))]
    assert kinds == ["program", "host"]


def test_an_iterator_is_read_before_the_program():
    iterator = iter(tf.data.Dataset.range(5))
    (first, host), (second, program) = steps_of(graph_of(lambda x: x * 2 + next(iterator), tf.constant(1, tf.int64)))
    assert (first, second) == ("host", "program")
    assert "IteratorGetNext" in host and "Mul" in program


def test_prints_stay_in_their_order():
    def f(x):
        tf.print("a", x, output_stream=NOWHERE)
        y = tf.exp(x)
        tf.print("b", y, output_stream=NOWHERE)
        return y

    graph = graph_of(f, tf.constant(1.0))
    instructions = [i for step in plan_of(graph).steps for i in step.instructions]
    templates = [i.attrs["template"] for i in instructions if i.op.name == "StringFormat"]
    assert [str(t)[:1] for t in templates] == ["a", "b"]


def test_a_read_before_a_write_sees_the_old_value():
    v = tf.Variable(1.0)

    def f(x):
        old = v.read_value()
        v.assign(old + x)
        return old, v.read_value()

    graph = graph_of(f, tf.constant(2.0))
    region = only_region(graph)
    assert len(region.writes) == 1 and region.reads == []
    assert [float(x) for x in graph.run([tf.constant(2.0)._value, v.handle._value])] == [1.0, 3.0]


def test_variables_that_are_only_read_are_not_written():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    region = only_region(graph_of(lambda x: b.assign_add(a * x), tf.constant(2.0)))
    assert (len(region.reads), len(region.writes)) == (1, 1)


def test_python_code_separates_what_is_stateful():
    """Nobody knows what a Python function touches: writes before it are done, writes behind it are not."""
    v = tf.Variable(1.0)
    seen = []

    def f(x):
        v.assign_add(x)
        tf.py_function(lambda: seen.append(float(v)), [], [])
        v.assign_add(x)
        return v.read_value()

    kinds = [kind for kind, _ in steps_of(graph_of(f, tf.constant(1.0)))]
    assert kinds == ["program", "host", "program"]
    function = tf.function(f, autograph=False)
    assert [float(function(tf.constant(1.0))) for _ in range(3)] == [3.0, 5.0, 7.0]
    assert seen == [2.0, 4.0, 6.0]


def test_control_dependencies_keep_a_write_behind_an_assert():
    v = tf.Variable(0.0)

    def f(x):
        check = tf.debugging.Assert(x < 10.0, [x])
        with tf.control_dependencies([check]):
            v.assign(x)
        return v.read_value()

    kinds = [kind for kind, _ in steps_of(graph_of(f, tf.constant(1.0)))]
    assert kinds == ["program", "host", "program"]


def test_strings_stay_on_the_host():
    steps = steps_of(graph_of(lambda s, x: (tf.strings.length(s), x * 2.0), tf.constant("abc"), tf.constant(1.0)))
    assert ("host", ["StringLength"]) in steps and any(kind == "program" and "Mul" in ops for kind, ops in steps)


def test_a_region_knows_its_inputs_and_outputs():
    """What only the region itself uses is no output of it."""
    graph = graph_of(lambda x, y: tf.exp(x * y), tf.constant(1.0), tf.constant(2.0))
    region = only_region(graph)
    assert len(region.inputs) == 2 and len(region.outputs) == 1


def test_a_size_that_data_decides_makes_two_programs():
    """`tf.where` runs on the host between them."""
    graph = same_as_interpreted(
        lambda x: tf.reduce_sum(tf.gather(x * 2.0, tf.where(x > 0.0)[:, 0])), tf.constant([1.0, -1.0, 3.0])
    )
    assert [kind for kind, _ in steps_of(graph)] == ["program", "host", "program"]


def test_very_many_instructions_are_several_programs(monkeypatch):
    monkeypatch.setattr(partition, "MOST", 10)
    monkeypatch.setattr(partition, "PIECE", 4)
    v = tf.Variable(1.0)

    def f(x):
        for _ in range(6):
            x = tf.tanh(x) + v
            v.assign_add(1.0)
        return x, v.read_value()

    graph = graph_of(f, tf.constant(0.5))
    kinds = [kind for kind, _ in steps_of(graph)]
    assert len(kinds) > 3 and set(kinds) == {"program"}
    y, kept = graph.run([tf.constant(0.5)._value, v.handle._value])
    expected = np.float32(0.5)
    for i in range(6):
        expected = np.tanh(expected) + np.float32(i + 1)
    assert float(y) == pytest.approx(expected, 1e-6) and float(kept) == 7.0


def test_a_few_instructions_are_one_piece():
    assert partition._pieces([3, 5]) == [[3, 5]] and partition._pieces([]) == []
