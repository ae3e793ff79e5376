"""Schedules: what nothing needs is dropped, calls are inlined, and every value has a slot."""

import reflow as tf
from reflow.runtime.schedule import last_uses, needed_nodes, schedule_of
from tests.compile.plans import graph_of

SCALAR = tf.TensorSpec([])


def ops(graph) -> list[str]:
    return [i.op.name for i in schedule_of(graph).instructions]


def test_what_nothing_needs_is_dropped():
    def f(x):
        tf.exp(x)
        return x + 1.0

    graph = graph_of(f, SCALAR)
    assert "Exp" in [n.record.name for n in graph.nodes] and "Exp" not in ops(graph)


def test_effects_stay():
    v = tf.Variable(1.0)

    def f(x):
        v.assign(x)
        v.read_value()
        return x

    graph = graph_of(f, SCALAR)
    assert ops(graph) == ["AssignVariableOp"]
    assert [n.record.name for n in graph.nodes if n.record.must_run] == ["AssignVariableOp"]


def test_calls_are_inlined_and_identities_dropped():
    inner = tf.function(lambda x: tf.identity(x) * 2.0)
    found = ops(graph_of(lambda x: inner(inner(x)), SCALAR))
    assert found.count("Mul") == 2 and not [op for op in found if "Call" in op or op == "Identity"]


def test_the_first_slots_are_the_inputs():
    schedule = schedule_of(graph_of(lambda x, y: x + y, SCALAR, SCALAR))
    assert schedule.inputs == [0, 1] and schedule.slots == 3 == len(schedule.dtypes)
    (add,) = schedule.instructions
    assert (add.ins, add.outs, schedule.outputs) == ((0, 1), (2,), [2])
    assert repr(add) == "AddV2(0, 1) -> 2"


def test_an_output_that_is_an_input():
    schedule = schedule_of(graph_of(lambda x: (x, x), SCALAR))
    assert schedule.instructions == [] and schedule.outputs == [0, 0]


def test_slots_are_freed_behind_their_last_use():
    schedule = schedule_of(graph_of(lambda x: tf.exp(tf.exp(tf.exp(x))), SCALAR))
    a, b, c = schedule.instructions
    assert schedule.frees == [(), (a.outs[0],), (b.outs[0],)]
    assert last_uses([a, b, c], keep=()) == [a.ins, a.outs, (b.outs[0], c.outs[0])]


def test_control_edges_are_kept():
    """Also through an `Identity`, which is no instruction, and into a call, which is inlined."""
    inner = tf.function(lambda x: tf.sin(x))

    def f(x):
        check = tf.debugging.Assert(x > 0.0, [x])
        with tf.control_dependencies([check]):
            y = tf.identity(x)
        return tf.exp(y), inner(y), tf.cos(x)

    instructions = schedule_of(graph_of(f, SCALAR)).instructions
    check = next(n for n, i in enumerate(instructions) if i.op.name == "Assert")
    behind = {i.op.name for i in instructions if check in i.after}
    assert {"Exp", "Sin"} <= behind and "Cos" not in behind


def test_jit_compile_leaves_asserts_out():
    def f(x):
        tf.debugging.Assert(x > 0.0, [x])
        return tf.debugging.check_numerics(x, "m") * 2.0

    plain = tf.function(f).get_concrete_function(SCALAR).graph
    whole = tf.function(f, jit_compile=True).get_concrete_function(SCALAR).graph
    assert {"Assert", "CheckNumerics"} <= set(ops(plain))
    assert not {"Assert", "CheckNumerics"} & set(ops(whole))
    assert {n.record.name for n in schedule_of(whole).left_out} == {"Assert", "CheckNumerics"}


def test_needed_nodes_of_one_output():
    graph = graph_of(lambda x: (tf.exp(x), tf.sin(x)), SCALAR)
    needed = {n.record.name for n in needed_nodes(graph, graph.outputs[:1])}
    assert "Exp" in needed and "Sin" not in needed


def test_a_schedule_is_made_once_and_again_when_the_graph_grows():
    graph = graph_of(lambda x: x + 1.0, SCALAR)
    first = schedule_of(graph)
    assert schedule_of(graph) is first
    with graph.as_default():
        tf.exp(graph.inputs[0])
    assert schedule_of(graph) is not first
