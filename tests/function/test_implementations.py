"""Functions that implement one API: a call runs the one for the device in use, as in TensorFlow 2.21."""

import reflow as tf


def implementation(number, api, device=None):
    attributes = {"api_implements": api} | ({"api_preferred_device": device} if device else {})
    return tf.function(
        lambda x: (x + number, tf.constant(number)), autograph=False, experimental_attributes=attributes
    )


def chosen(api, other_api, device):
    """Which of two implementations a call of the first runs, at each of three calls."""

    @tf.function
    def outer(x):
        result = implementation(1.0, api)(x=x)
        other = implementation(2.0, other_api, device).get_concrete_function(x=x)
        other.add_to_graph()
        other.add_gradient_functions_to_graph()
        return result

    results = [outer(tf.constant(float(i))) for i in range(3)]
    assert [y.numpy() for y, _ in results] == [i + number.numpy() for i, (_, number) in enumerate(results)]
    return {number.numpy() for _, number in results}


def test_a_call_runs_the_implementation_for_the_device():
    assert chosen("sum", "sum", "CPU") == {2.0}


def test_others_leave_it_alone():
    assert chosen("sum", "sum", "GPU") == chosen("sum", "product", "CPU") == chosen("sum", "sum", None) == {1.0}


def test_a_gradient_is_that_of_the_implementation_that_runs():
    @tf.function
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            attributes = {"api_implements": "power"}
            square = tf.function(lambda x: x * x, autograph=False, experimental_attributes=attributes)
            attributes = attributes | {"api_preferred_device": "CPU"}
            cube = tf.function(lambda x: x * x * x, autograph=False, experimental_attributes=attributes)
            y = square(x=x)
            cube.get_concrete_function(x=x).add_to_graph()
        return y, tape.gradient(y, x)

    assert [t.numpy() for t in outer(tf.constant(2.0))] == [8.0, 12.0]
