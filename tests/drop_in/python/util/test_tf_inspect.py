"""Parameters of functions, as Python 2 gave them."""


from reflow.drop_in.python.util import tf_inspect


class Scaled:
    def __call__(self, x, scale=2):
        return x * scale


def test_parameters():
    assert tf_inspect.getargspec(lambda a, *rest, b=1, **more: a) == (["a"], "rest", "more", None)
    assert (
        tf_inspect.getargspec(Scaled()).defaults == (2,)
        and tf_inspect.getargspec(Scaled()).args == ["self", "x", "scale"]
    )
    assert tf_inspect.getcallargs(lambda a, b=2: a, 1) == {"a": 1, "b": 2}
    assert tf_inspect.isanytargetmethod(Scaled().__call__) and not tf_inspect.isanytargetmethod(len)
