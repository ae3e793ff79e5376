"""What decorators note about the functions that they make."""

import inspect

import reflow as tf
from reflow.drop_in.python.util import tf_decorator

decorator = tf.__internal__.decorator


def test_another_target():
    def one():
        return 1

    def two():
        return 2

    def around(target):
        def call():
            return call.__wrapped__()

        return decorator.make_decorator(target, call)

    twice = around(around(one))
    assert twice() == 1
    tf_decorator.rewrap(twice, one, two)
    assert twice() == 2 and decorator.unwrap(twice)[1] is two
    tf_decorator.rewrap(one, one, two)
    assert one() == 1


def test_the_signature_of_an_argspec():
    def function(a, b=1, *rest, c, d=2, **further):
        return a

    spec = inspect.getfullargspec(function)
    assert tf_decorator.fullargspec_to_signature(spec) == inspect.signature(function)
