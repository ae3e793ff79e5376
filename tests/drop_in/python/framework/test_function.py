"""Functions of TensorFlow 1."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.function import Defun


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        yield session


def test_declared_types(session):
    @Defun(tf.float32, tf.float32, func_name="Poly")
    def poly(x, y):
        return x * x + y, y

    first, second = poly(3.0, 1.0)
    assert session.run([first, second]) == [10.0, 1.0]
    assert poly.name == "Poly" and poly.declared_input_types == (tf.float32, tf.float32) and first.op.name == "Poly"
    x = tf.constant(2.0)
    assert session.run(tf.gradients(poly(x, 1.0)[0], x)) == [4.0]


def test_types_of_the_call(session):
    double = Defun()(lambda x: x + x)
    assert session.run([double(2), double(0.5)]) == [4, 1.0]


def test_gradients_by_a_function(session):
    gradient = Defun(tf.float32, tf.float32)(lambda x, dy: 7.0 * dy)
    by_function = Defun(tf.float32, grad_func=gradient)(lambda x: x * x)
    by_python = Defun(tf.float32, python_grad_func=lambda op, dy: dy * op.inputs[0] * 100.0)(lambda x: x * x)
    x = tf.constant(2.0)
    assert session.run([tf.gradients(f(x), x)[0] for f in (by_function, by_python)]) == [7.0, 200.0]
    twice = Defun(tf.float32, grad_func=gradient, python_grad_func=lambda op, dy: dy)(lambda x: x)
    with pytest.raises(ValueError, match="Gradient defined twice"):
        twice.add_to_graph(tf.Graph())


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: Defun(tf.float32)(3), "must be a callable"),
        (lambda: Defun(tf.float32)(lambda x, y: x), "minimum 2 and maximum 2"),
        (lambda: Defun(tf.float32)(lambda x, y=2: x), "argument defaults"),
        (lambda: Defun(tf.float32)(lambda x: x)(1.0, 2.0), "Expected 1 arguments, got 2"),
    ],
)
def test_errors(make, text):
    with pytest.raises(ValueError, match=text):
        make()
