"""Tensor lists in programs: a buffer and a length, large enough before a loop starts."""

import jax
import numpy as np
import pytest

import reflow as tf
from reflow.compile.lists import ListValue, NeedsCapacity
from reflow.compile.runner import plan_of
from tests.compile.plans import same_as_interpreted, steps_of


def test_an_unborn_list_has_a_length_but_no_buffer():
    unallocated = ListValue(None, 2, tf.float32, None)
    with pytest.raises(NeedsCapacity):
        unallocated.allocated((3,))
    allocated = unallocated.allocated((3,), capacity=5)
    assert allocated.buffer.shape == (5, 3) and allocated.length == 2
    assert allocated.allocated((9,)) is allocated
    with pytest.raises(TypeError, match="without elements"):
        unallocated.as_arrays()


def test_a_known_length_is_part_of_the_type():
    """`lax.while_loop` compares types: a length that changes must be an array first."""
    allocated = ListValue(None, 2, tf.float32, None).allocated((3,), capacity=5)
    fixed, dynamic = (jax.tree.structure(v) for v in (allocated, allocated.with_dynamic_length()))
    assert fixed != dynamic
    assert jax.tree.unflatten(fixed, jax.tree.leaves(allocated)).length == 2


def collected(xs):
    array = tf.TensorArray(tf.float32, size=5, element_shape=[])
    _, array = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a.write(i, xs[i] * 2.0)), (0, array))
    return array.stack()


def test_an_array_that_a_counted_loop_fills_is_in_the_program():
    graph = same_as_interpreted(collected, tf.range(5.0))
    assert [kind for kind, _ in steps_of(graph)] == ["program"]


def test_a_list_that_grows_without_bound_goes_to_the_host():
    def f(x):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        _, array = tf.while_loop(lambda y, a: y < 100.0, lambda y, a: (y * 2.0, a.write(a.size(), y)), (x, array))
        return array.stack()

    graph = same_as_interpreted(f, tf.constant(1.0))
    assert any("list" in reason or "loop" in reason for reason in plan_of(graph).reasons.values())


def test_reads_writes_and_lengths_outside_loops():
    def f(x):
        array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
        array = array.write(1, array.read(0) + array.read(2))
        return array.stack(), array.size(), array.gather([2, 1])

    same_as_interpreted(f, tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


def test_gradients_push_and_pop():
    """The loop of a gradient pops what the forward loop pushed."""

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) * y), (0, x))
            y = tf.reduce_sum(y)
        return tape.gradient(y, x)

    graph = same_as_interpreted(f, tf.constant([0.3, 0.7]))
    assert [kind for kind, _ in steps_of(graph)] == ["program"]


def test_a_list_that_leaves_a_program_is_a_list_again():
    function = tf.function(lambda x: tf.TensorArray(tf.float32, size=2).unstack(x * 2.0), autograph=False)
    for _ in range(3):
        np.testing.assert_array_equal(function(tf.constant([1.0, 2.0])).stack(), [2.0, 4.0])

PLACES = {
    "forwards": lambda i: i, "backwards": lambda i: 6 - i, "gaps": lambda i: 2 * i, "twice": lambda i: tf.minimum(i, 3)
}


def grown(place, **options):
    """Seven elements in a growing array, of which element i stands at `place(i)`,
    and the gradient of their weighted sum."""

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, **options)
            for i in tf.range(tf.size(x)):
                array = array.write(place(i), tf.stack([x[i], x[i] * x[i]]))
            stacked = array.stack()
            loss = tf.reduce_sum(
                stacked * tf.reshape(tf.range(1.0, 1.0 + tf.cast(tf.size(stacked), tf.float32)), tf.shape(stacked))
            )
        return stacked, array.size(), tape.gradient(loss, x)

    return tf.autograph.to_graph(f)


@pytest.mark.parametrize("options", [{}, {"element_shape": [2]}], ids=["any elements", "known elements"])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_list_that_grows_with_known_indices_is_in_the_program(place, options):
    graph = same_as_interpreted(grown(place, **options), tf.range(7.0))
    assert [kind for kind, _ in steps_of(graph)] == ["program"]


def test_a_list_that_grows_outside_of_loops_is_in_the_program():
    def f(x):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True).write(2, x).write(0, x + 1.0)
        return array.stack(), array.size()

    graph = same_as_interpreted(f, tf.constant([1.0, 2.0]))
    assert [kind for kind, _ in steps_of(graph)] == ["program"]


def test_growing_lists_whose_length_or_elements_the_loop_looks_at():
    """What a loop can see is as long as it was at that moment."""

    def length(x):
        array, sizes = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False), tf.constant(0)
        for i in tf.range(4):
            array = array.write(i, x + tf.cast(sizes, tf.float32))
            sizes += array.size()
        return array.stack(), sizes

    def elements(x):
        array = tf.TensorArray(
            tf.float32, size=1, dynamic_size=True, clear_after_read=False, element_shape=[]
        ).write(0, x)
        for i in tf.range(1, 5):
            array = array.write(i, array.read(i - 1) * 2.0)
        return array.stack()

    def sometimes(x):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        for i in tf.range(5):
            if tf.cast(i, tf.float32) < x:
                array = array.write(i, x)
        return array.stack()

    for f in (length, elements, sometimes):
        same_as_interpreted(tf.autograph.to_graph(f), tf.constant(3.0))


def test_after_the_loop_a_list_grows_further():
    def f(x, places):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        for i in tf.range(3):
            array = array.write(i, x)
        for place in places:
            array = array.write(place, 2.0 * x)
        return array.stack()

    same_as_interpreted(tf.autograph.to_graph(f), tf.constant(3.0), tf.constant([5, 1]))
