"""Calls in programs: functions with `jit_compile` that are called in functions without it."""

import reflow as tf
from tests.compile.plans import graph_of, raw, regions_of, same_as_interpreted, steps_of


def test_calls_are_inlined_unless_they_are_compiled_whole():
    plain, whole = tf.function(lambda x: x * 2.0), tf.function(lambda x: x * 3.0, jit_compile=True)
    ((_, ops),) = steps_of(graph_of(lambda x: plain(x) + whole(x), tf.constant(1.0)))
    assert [op for op in ops if "Call" in op] != [] and ops.count("Mul") == 1


def test_the_call_and_what_is_around_it_are_one_program():
    whole = tf.function(lambda x: tf.sin(x) * 3.0, jit_compile=True)
    graph = same_as_interpreted(lambda x: whole(x + 1.0) * 2.0, tf.constant([1.0]))
    assert [kind for kind, _ in steps_of(graph)] == ["program"]
    assert regions_of(graph)[0].compile_at == 1


def test_nothing_in_it_is_checked():
    """As in TensorFlow: XLA clamps the index."""
    whole = tf.function(lambda x, i: tf.gather(x, i), jit_compile=True)
    graph = graph_of(lambda x, i: whole(x, i) + 0.0, tf.TensorSpec([3]), tf.TensorSpec([], tf.int32))
    for _ in range(3):
        graph.run(raw(graph, tf.ones([3]), tf.constant(9)))


def test_what_does_not_fit_around_it_is_compiled_for_itself():
    whole = tf.function(lambda x: tf.reduce_sum(tf.where(x > 0.0)), jit_compile=True)
    graph = same_as_interpreted(lambda x: whole(x) + 1, tf.constant([1.0, -1.0, 2.0]))
    assert ("host", ["PartitionedCall"]) in steps_of(graph)
