"""A function for each of a range of numbers."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.parallel_for import control_flow_ops


def test_at_once_and_in_turn():
    x = tf.constant([1.0, 2.0, 3.0])
    square = lambda i: tf.gather(x, i) ** 2
    assert control_flow_ops.pfor(square, 3).numpy().tolist() == [1.0, 4.0, 9.0]
    assert control_flow_ops.for_loop(square, tf.float32, 3).numpy().tolist() == [1.0, 4.0, 9.0]


@pytest.mark.parametrize(("number", "words"), [(0, "positive integer"), (1, "Use `for_loop` instead")])
def test_iterations_in_parallel_are_several(number, words):
    with pytest.raises(ValueError, match=words):
        control_flow_ops.pfor(lambda i: i, 3, parallel_iterations=number)


def test_values_of_all_iterations():
    x = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    off = control_flow_ops.pfor(lambda i, pfor_config: tf.gather(x, i) - pfor_config.reduce_mean(tf.gather(x, i)), 2)
    assert off.numpy().tolist() == [[-1.0, -2.0], [1.0, 2.0]]
    total = control_flow_ops.pfor(
        lambda i, pfor_config: i + pfor_config.reduce(lambda a, b: tf.reduce_sum(a * b), i, i), 3
    )
    assert total.numpy().tolist() == [5, 6, 7]
    with pytest.raises(ValueError, match="`parallel_iterations` currently unsupported"):
        control_flow_ops.pfor(lambda i, pfor_config: pfor_config.reduce_sum(i), 4, parallel_iterations=2)


def test_no_iterations_have_the_shape_of_one():
    assert control_flow_ops.for_loop(lambda i: tf.zeros([2, 3]), tf.float32, 0).shape == [0, 2, 3]


def test_effects_see_all_rows(capfd):
    """A print shows the stacked rows once, an assert holds for all of them, and random numbers are drawn for each."""
    x = tf.constant([1, 2, 3])

    def shown(i):
        row = tf.gather(x, i)
        tf.debugging.Assert(row < 5, [row])
        tf.print(row, "row", output_stream="file:///dev/stderr")
        return tf.debugging.check_numerics(tf.cast(row, tf.float32), "row")

    assert control_flow_ops.pfor(shown, 3, fallback_to_while_loop=False).numpy().tolist() == [1.0, 2.0, 3.0]
    assert capfd.readouterr().err == "[1 2 3] row\n"
    rates = tf.constant([1.0, 1000.0])
    found = control_flow_ops.pfor(
        lambda i: tf.random.poisson([4], tf.gather(rates, i)), 2, fallback_to_while_loop=False
    ).numpy()
    assert found.shape == (2, 4) and found[0].max() < 100 < found[1].min()
    logits = tf.constant([[[9.0, -9.0]], [[-9.0, 9.0]]])
    drawn = control_flow_ops.pfor(
        lambda i: tf.random.categorical(tf.gather(logits, i), 3), 2, fallback_to_while_loop=False
    )
    assert drawn.numpy().tolist() == [[[0, 0, 0]], [[1, 1, 1]]]
