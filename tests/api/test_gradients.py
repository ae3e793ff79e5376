"""`reflow/api/gradients.py`: what TensorFlow prints for the expressions of `gradients.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_a_gradient_of_ones_own_for_ragged_tensors():
    @tf.custom_gradient
    def f(x, y):
        return (x * x, 2.0 * y), lambda dx, dy: (3.0 * dx, 4.0 * dy)

    ragged, dense = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.constant(5.0)
    for call in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch((ragged, dense))
            squares, twice = call(ragged, dense)
        rows, number = tape.gradient((squares, twice), (ragged, dense))
        assert squares.to_list() == [[1.0, 4.0], [9.0]] and rows.to_list() == [[3.0, 3.0], [3.0]]
        assert (twice.numpy(), number.numpy()) == (10.0, 4.0)


def test_a_function_with_a_gradient_of_its_own_may_assign_to_a_variable_that_it_is_given():
    @tf.custom_gradient
    def count(v):
        v.assign_add(3.0)
        return v, lambda g: 2.0 * g

    v, x = tf.Variable(2.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = count(v)
        first, _ = tf.identity_n([result, x])
    assert [t.numpy() for t in (result, *tape.gradient(first, [v, x]))] == [5.0, 2.0, 0.0]


def test_gradients_in_a_branch_and_a_loop_reach_what_the_graph_around_computed():
    """`tf.gradients` in a body goes through the tensors that it captures to sources outside."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, chosen = tf.constant(10.0), v1.placeholder(tf.bool, [])
        y = 7.0 * x
        branch = tf.cond(chosen, lambda: tf.gradients(y * y, x)[0], lambda: 3.0 * x)
        loop = tf.while_loop(lambda i, _: i < 2, lambda i, s: (i + 1, s + tf.gradients(y * y, x)[0]), [0, 0.0])[1]
        assert [session.run(branch, {chosen: c}) for c in (True, False)] == [980.0, 30.0]
        assert session.run(loop) == 1960.0


def test_what_one_tensor_is_given_may_be_nested_lists():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2, 3])
        slope = tf.gradients(tf.math.top_k(x, 2)[0], x, grad_ys=[[[1.0, 2.0], [3.0, 4.0]]])
        (found,) = session.run(slope, {x: [[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]]})
        assert found.tolist() == [[1.0, 0.0, 2.0], [0.0, 4.0, 3.0]]


def test_factors_without_a_gradient_are_refused_while_a_graph_is_built():
    with tf.Graph().as_default():
        x = tf.ones([5, 2])
        with pytest.raises(NotImplementedError, match="QrGrad not implemented when nrows > ncols"):
            tf.gradients(tf.linalg.qr(x, full_matrices=True), x)
        with pytest.raises(NotImplementedError, match=r"svd gradient is not implemented for abs\(m - n\) > 1"):
            tf.gradients(tf.linalg.svd(x, full_matrices=True)[1], x)
        assert tf.gradients(tf.linalg.qr(x), x)[0].shape == [5, 2]


@pytest.mark.parametrize("name, scopes", [("gradients", ["gradients", "gradients_1"]), ("mine", ["mine", "mine_1"])])
def test_gradients_open_a_name_scope(name, scopes):
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.square(x)
        found = [tf.gradients(y, x, name=name)[0].name.split("/")[0] for _ in scopes]
    assert found == scopes
