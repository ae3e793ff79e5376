"""`PythonAPIDispatcher`: which target gets a call, and the errors, which are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.functions import python_api_dispatcher as dispatch

RAGGED = dispatch.MakeInstanceChecker(tf.RaggedTensor)
rt = tf.ragged.constant([[1, 2], [3]])


@pytest.fixture
def foo():
    return dispatch.PythonAPIDispatcher("tf.foo", ["x", "y", "name"], (None,))


def test_the_target_whose_signature_fits_gets_the_call(foo):
    foo.Register(dispatch.PySignatureChecker([(0, RAGGED)]), lambda x, y, name=None: ("f", y, name))
    foo.Register(dispatch.PySignatureChecker([(1, RAGGED)]), second := lambda x, y, name=None: "g")
    assert foo.Dispatch((rt, 5), None) == ("f", 5, None)
    assert foo.Dispatch((), {"x": rt, "y": 5, "name": "n"}) == ("f", 5, "n")
    assert foo.Dispatch((1,), {"y": rt}) == "g" and foo.Dispatch((1, 2), None) is NotImplemented
    with pytest.raises(ValueError, match=r"Multiple dispatch targets .* match the arguments to tf\.foo"):
        foo.Dispatch((rt, rt), None)
    foo.Unregister(second)
    assert foo.Dispatch((rt, rt), None)[0] == "f" and "args[0]:RaggedTensor -> " in repr(foo)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), None, "Missing required positional argument"),
        ((1, 2, 3, 4), None, r"Too many arguments were given. Expected 3 but got 4\."),
        ((1,), {"x": 2}, "Got multiple values for argument 'x'"),
        ((1,), {"q": 2}, "Got an unexpected keyword argument 'q'"),
    ],
)
def test_wrong_calls(foo, args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        foo.Dispatch(args, kwargs)
