"""Regions: which calls share a program, when one is made, how many are kept, and who may hold what it writes."""

import signal
import weakref

import numpy as np
import pytest

import reflow as tf
from reflow.compile import buffers
from reflow.compile import region as regions
from reflow.compile.region import COMPILE_AT, MAX_PROGRAMS, MAX_STATIC_ELEMENTS
from reflow.compile.runner import plan_of
from tests.compile.plans import graph_of, only_region, raw, regions_of, steps_of


def vectors(*sizes):
    return [tf.fill([n], 2.0) for n in sizes]


def compiled(region) -> int:
    return sum(program.call is not None for program in region.programs.values())


def test_a_key_is_interpreted_first_and_compiled_second():
    graph = graph_of(lambda x: x * 3.0, tf.TensorSpec([None]))
    region = only_region(graph)
    for call in range(1, 4):
        graph.run(raw(graph, tf.constant([2.0])))
        assert len(region.programs) == 1 and compiled(region) == (call >= COMPILE_AT)


def test_shapes_and_dtypes_are_the_key():
    graph = graph_of(lambda x: tf.cast(x, tf.float64) * 3.0, tf.TensorSpec([None]))
    region = only_region(graph)
    for x in vectors(1, 2, 1, 3):
        assert graph.run(raw(graph, x))[0].shape == x.shape
    assert len(region.programs) == 3


def test_the_key_used_longest_ago_goes_first():
    graph = graph_of(lambda x: x + 1.0, tf.TensorSpec([None]))
    region = only_region(graph)
    first, *others = vectors(*range(1, MAX_PROGRAMS + 1))
    graph.run(raw(graph, first))
    keys = list(region.programs)
    for x in others:
        graph.run(raw(graph, x))
    graph.run(raw(graph, first))  # used again: the second is the oldest now
    graph.run(raw(graph, *vectors(100)))
    assert len(region.programs) == MAX_PROGRAMS and keys[0] in region.programs
    assert (2,) not in [key[0] for key in region.programs]


def test_many_keys_are_all_right():
    """A key that was thrown out is made again."""
    graph = graph_of(lambda x: tf.reduce_sum(x), tf.TensorSpec([None]))
    for _ in range(2):
        for x in vectors(*range(1, MAX_PROGRAMS + 3)):
            assert float(graph.run(raw(graph, x))[0]) == 2.0 * x.shape[0]


def test_the_value_of_a_static_operand_joins_the_key():
    graph = graph_of(lambda x, n: tf.reshape(x, [n, -1]), tf.TensorSpec([6]), tf.TensorSpec([], tf.int32))
    x = tf.range(6.0)
    for n in (1, 2, 3):
        for _ in range(3):
            (out,) = graph.run(raw(graph, x, tf.constant(n)))
            np.testing.assert_array_equal(np.asarray(out), np.arange(6.0).reshape(n, -1))
    region = only_region(graph)
    assert (
        [region.inputs.index(i) for i in region.inputs if region.inputs.index(i) in region.static] == region.static
        != []
    )
    assert len(region.programs) == 3


def test_a_large_static_operand_goes_to_the_host():
    """A permutation of 100 axes would make a program for each value; its op runs between two programs instead."""
    size = MAX_STATIC_ELEMENTS + 1
    graph = graph_of(lambda x, n: tf.repeat(x * 2.0, n), tf.TensorSpec([size]), tf.TensorSpec([size], tf.int32))
    for seed in range(3):
        counts = np.random.default_rng(seed).integers(0, 3, size).astype(np.int32)
        (out,) = graph.run(raw(graph, tf.ones([size]), tf.constant(counts)))
        assert np.asarray(out).shape == (counts.sum(),)
    assert "host" in [kind for kind, _ in steps_of(graph)] and plan_of(graph).reasons


def test_a_variable_of_unknown_shape_is_part_of_the_key():
    v = tf.Variable([1.0], shape=tf.TensorShape([None]))
    graph = graph_of(lambda: v * 2.0)
    for n in (1, 2, 3):
        v.assign(tf.ones([n]))
        for _ in range(2):
            assert graph.run(raw(graph))[0].shape == (n,)
    assert len(only_region(graph).programs) == 3


def test_jit_compile_compiles_at_once():
    @tf.function(jit_compile=True)
    def f(x):
        return x * 2.0

    f(tf.constant(1.0))
    assert compiled(only_region(f.get_concrete_function(tf.constant(1.0)).graph)) == 1


def test_what_does_not_fit_is_said_by_the_interpreter():
    """JAX's own words for a wrong shape never reach the user."""
    graph = graph_of(lambda x, y: tf.matmul(x, y), tf.TensorSpec([None, None]), tf.TensorSpec([None, None]))
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
            graph.run(raw(graph, tf.ones([2, 3]), tf.ones([2, 3])))


def test_a_held_read_outlives_the_next_step():
    v = tf.Variable(tf.ones([4]))
    step = tf.function(lambda: v.assign_add(tf.ones([4])))
    held = []
    for _ in range(4):
        step()
        held.append(v.read_value())
    assert [x.numpy()[0] for x in held] == [2.0, 3.0, 4.0, 5.0]


def test_two_variables_of_one_value_stay_apart():
    value = tf.ones([3])
    a, b = tf.Variable(value), tf.Variable(value)
    step = tf.function(lambda: a.assign(a * 2.0))
    for _ in range(3):
        step()
    assert (a.numpy()[0], b.numpy()[0], value.numpy()[0]) == (8.0, 1.0, 1.0)


def test_an_uninitialized_variable_is_named():
    v = tf.Variable(1.0)
    graph = graph_of(lambda: v + 1.0)
    graph.run(raw(graph))
    v.handle._value.cell.buf = None
    with pytest.raises(tf.errors.FailedPreconditionError):
        graph.run(raw(graph))


def test_regions_of_one_function_have_programs_of_their_own():
    def f(x):
        y = tf.exp(x)
        tf.py_function(lambda: None, [], [])
        return y + tf.gather(y, tf.where(y > 1.0)[:, 0])[0]

    graph = graph_of(f, tf.TensorSpec([None]))
    for _ in range(8):  # the second region finds out one by one which of its inputs must be values
        graph.run(raw(graph, tf.constant([0.5, 1.0])))
    assert len(regions_of(graph)) >= 2 and all(compiled(region) for region in regions_of(graph))


def test_a_variable_does_not_keep_its_initial_value():
    initial = tf.ones([10])
    array = weakref.ref(initial._value)
    v = tf.Variable(initial)
    del initial
    assert array() is not None
    v.assign_add(tf.ones([10]))
    assert array() is None


def test_large_variables_are_not_copied_for_the_first_call(monkeypatch):
    """They become device arrays one by one, and signals wait while a program not compiled yet gets them."""
    monkeypatch.setattr(regions, "LARGE", 0)
    monkeypatch.setattr(regions, "LARGE_STATE", 0)
    v, w = tf.Variable(tf.ones([100_000])), tf.Variable(tf.zeros([100_000]))
    handler = signal.getsignal(signal.SIGINT)

    @tf.function
    def step(x):
        v.assign_add(w + x)
        w.assign_add(v)

    copies = []

    def copied(buffer, copy=buffers.device_copy):
        copies.append(buffer)
        return copy(buffer)

    monkeypatch.setattr(buffers, "device_copy", copied)
    monkeypatch.setattr(regions, "device_copy", copied)
    for _ in range(3):
        step(tf.constant(1.0))
    assert len(copies) == 2  # each host array once, on its way to the device
    assert v.numpy()[0] == 13.0
    assert w.numpy()[0] == 20.0
    assert signal.getsignal(signal.SIGINT) is handler
