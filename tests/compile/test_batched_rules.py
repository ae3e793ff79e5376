"""`Reflow>VMap` in programs: `jax.vmap` of the lowered rows."""

import pytest

import reflow as tf
from reflow.compile.runner import plan_of
from tests.compile.plans import graph_of, raw, same_as_interpreted, steps_of


def test_rows_are_one_program():
    graph = same_as_interpreted(lambda x: tf.vectorized_map(lambda r: tf.reduce_sum(r * r), x), tf.ones([3, 4]))
    assert [kind for kind, _ in steps_of(graph)] == ["program"]


def test_what_has_no_rows_stays_outside():
    """The size of `w` is known inside the rows."""
    graph = same_as_interpreted(
        lambda x, w: tf.vectorized_map(lambda r: tf.reshape(r, [tf.shape(w)[0], -1]) @ w, x), tf.ones([3, 4]),
        tf.ones([2, 2]),
    )
    assert plan_of(graph).reasons == {}


def test_no_rows_at_all_run_on_the_host():
    graph = graph_of(lambda x: tf.vectorized_map(lambda r: tf.reduce_max(r), x), tf.TensorSpec([None, 2]))
    for _ in range(3):
        assert graph.run(raw(graph, tf.zeros([0, 2])))[0].shape == (0,)
    (reason,) = plan_of(graph).reasons.values()
    assert "0] rows" in reason


def test_a_check_in_a_row_fires():
    graph = graph_of(
        lambda x, i: tf.vectorized_map(lambda p: tf.gather(p[0], p[1]), (x, i)), tf.TensorSpec([2, 3]),
        tf.TensorSpec([2], tf.int32),
    )
    for _ in range(3):
        graph.run(raw(graph, tf.ones([2, 3]), tf.constant([0, 2])))
        with pytest.raises(tf.errors.InvalidArgumentError):
            graph.run(raw(graph, tf.ones([2, 3]), tf.constant([0, 7])))


def test_a_size_that_data_decides_goes_to_the_host():
    graph = same_as_interpreted(
        lambda x: tf.vectorized_map(lambda r: tf.reduce_sum(tf.boolean_mask(r, r > 0.0)), x),
        tf.constant([[1.0, -1.0], [2.0, 3.0]]),
    )
    assert "host" in [kind for kind, _ in steps_of(graph)]
